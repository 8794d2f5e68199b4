// The schema that most tests use: a setting of each type, with and without a default, and one of each constraint.
#ifndef FIXTURE_H
#define FIXTURE_H

#include "check.h"

#define KIOSK_SETTINGS                                                                                                 \
  "{\"Type\": \"Header\", \"Title\": \"Kiosk\"},"                                                                      \
  "{\"Type\": \"TextField\", \"Title\": \"Title\", \"Key\": \"title\", \"Value\": \"Hello\", \"MaxLength\": 40},"      \
  "{\"Type\": \"TextField\", \"Title\": \"PIN\", \"Key\": \"pin\", \"Value\": \"1234\", \"Class\": [\"Password\"],"    \
  " \"Pattern\": \"^[0-9]{4}$\"},"                                                                                     \
  "{\"Type\": \"TextField\", \"Title\": \"Note\", \"Key\": \"note\"},"                                                 \
  "{\"Type\": \"ToggleSwitch\", \"Title\": \"Attract loop\", \"Key\": \"attractLoop\", \"Value\": true},"              \
  "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"Idle\", \"Key\": \"idleResetSeconds\","                \
  " \"Value\": 120, \"Minimum\": 10, \"Maximum\": 600},"                                                               \
  "{\"Type\": \"Number\", \"Format\": \"number\", \"Title\": \"Volume\", \"Key\": \"volume\", \"Value\": 0.5,"         \
  " \"Minimum\": 0, \"Maximum\": 1},"                                                                                  \
  "{\"Type\": \"URL\", \"Title\": \"Home\", \"Key\": \"home\", \"Value\": \"https://example.com/\"},"                  \
  "{\"Type\": \"Date\", \"Title\": \"Opens\", \"Key\": \"opens\", \"Value\": \"2026-01-02T03:04:05Z\"},"               \
  "{\"Type\": \"Color\", \"Title\": \"Toolbar\", \"Key\": \"branding.color.Toolbar\", \"Value\": \"#336699\"},"        \
  "{\"Type\": \"Image\", \"Title\": \"Logo\", \"Key\": \"branding.logo\"},"                                            \
  "{\"Type\": \"Data\", \"Title\": \"Blob\", \"Key\": \"blob\", \"Value\": \"AQID\"},"                                 \
  "{\"Type\": \"ComboBox\", \"Title\": \"Language\", \"Key\": \"language\", \"Value\": \"en\","                        \
  " \"Class\": [\"Single\"], \"Options\": [{\"Title\": \"English\", \"Value\": \"en\"},"                               \
  " {\"Title\": \"Deutsch\", \"Value\": \"de\"}]},"                                                                    \
  "{\"Type\": \"List\", \"Title\": \"Playlist\", \"Key\": \"playlist\", \"Value\": [{\"media\": \"a.mp4\"}],"          \
  " \"ItemTemplate\": [{\"Type\": \"TextField\", \"Title\": \"Media\", \"Key\": \"media\", \"Value\": \"\"}]},"        \
  "{\"Type\": \"TextField\", \"Title\": \"Device\", \"Key\": \"device.id\", \"Value\": \"\", \"ReadOnly\": true},"     \
  "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"A\", \"Key\": \"pair.a\", \"Value\": 0},"              \
  "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"B\", \"Key\": \"pair.b\", \"Value\": 0}"

#define KIOSK_SCHEMA                                                                                                   \
  "{\"Version\": 3, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" KIOSK_SETTINGS "]}]}"

/** A property list with one dictionary. */
#define PLIST(content)                                                                                                 \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                                       \
  "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"       \
  "<plist version=\"1.0\"><dict>" content "</dict></plist>\n"

/** A string literal as pointer and length. */
#define TEXT(literal) literal, (sizeof(literal) - 1)

#endif
