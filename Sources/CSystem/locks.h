// What threads.c and locks.c know of each other.
#ifndef LVS_LOCKS_H
#define LVS_LOCKS_H

// Keeps the process from forking meanwhile.
void lvs_fork_lock(void);
void lvs_fork_unlock(void);
// In a child that has been forked, with that lock held.
void lvs_lock_files_forked(void);

#endif
