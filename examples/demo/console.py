"""The console of the demo: recommends settings, with --enforce insists on one, with --change recommends another media.

    console.py STORE [--enforce | --change]
"""

import sys

import livery


def main() -> None:
  with livery.open(sys.argv[1]) as store:
    if "--enforce" in sys.argv:
      store.set("mediaUrl", "https://fleet.example/safety.mp4", layer="enforced")
      print(f"  enforced mediaUrl; it now reads {store.get_url('mediaUrl')}")
      return
    if "--change" in sys.argv:
      with store.change("recommended", origin="the console") as change:
        change["mediaUrl"] = "https://fleet.example/spring.mp4"
      print(f"  recommended another mediaUrl, revision {change.revision}")
      return
    with store.change("recommended", origin="console") as change:
      change["duration"] = "1"
      change["mediaUrl"] = "https://fleet.example/loop.mp4"
      change["mmasm_playlist_screensaver"] = [
        {"content": "https://fleet.example/a.png", "cache_key": True, "duration": "10"},
      ]
    print(f"  recommended 3 settings as one commit, revision {change.revision}")
    try:
      store.set("duration", "3", layer="recommended")
    except livery.InvalidValueError as error:
      print(f"  a value that is no option is refused: {error}")


main()
