import CSystem

exit(Program.run())
