extension Command {
  static var help: String {
    """
    livery console: the settings of a fleet of devices

      livery console init FLEET            make a console: tables, a signing key, a root key
      livery console serve                 serve devices, programs and people until SIGTERM; prints the address
      livery console admin add NAME        somebody who may sign in; the password comes from standard input
      livery console admin set|remove|list
      livery console token make ADMIN      a token for programs; prints it once
      livery console token remove|list
      livery console schema add FILE       what settings there are, as a schema; schema list
      livery console group add|remove|up|down NAME, group list
      livery console device list, device show|remove ID, device name ID NAME, device groups ID [GROUP…]
      livery console draft show [CHANNEL]  what a channel is to say
      livery console draft set CHANNEL VERB NAME VALUE
      livery console draft unset CHANNEL NAME, draft discard CHANNEL
      livery console diff [CHANNEL]        what publishing would change
      livery console publish [CHANNEL]     publish the draft
      livery console rollout list, rollout show|raise|stop|resume NUMBER
      livery console undo NUMBER           publish what was there before, or take back what holds for a time or for some
      livery console history               who has done what
      livery console explain ID [NAME]     what decides the settings of a device
      livery console enroll                a code for one device; enroll list, enroll withdraw ID
      livery console keys                  who signs; keys rotate, keys revoke
      livery console status                how the fleet is
      livery console simulate [OPTION…]    a fleet in virtual time: livery-simulate

      --state DIR          the console's folder; else $LIVERY_CONSOLE
      --database URL       postgresql://…; a file in the folder without it
      --publish DIR        the folder that a web server delivers
      --broker URL         mqtt://HOST[:PORT], where hints go to
      --url URL            the fleet's address, as devices know it
                           `init` notes these four
      --listen ADDRESS     of `serve`: an address and a port; 127.0.0.1:8080 without it
      --host NAME          of `serve`: a name under which it may be asked; can be given more than once
      --root-key FILE      of `init` and `keys`: where the root key is
      --role ROLE          of `admin`: editor, as without it, or viewer
      --password-file FILE  of `admin`: its first line, in place of standard input
      --label TEXT         of `token` and `enroll`
      --days N             of `token`: how long it is of use; 365 without it
      --hours N            of `enroll`: how long the code is of use; 24 without it
      --group NAME         of `enroll`: a group that the device will be in; can be given more than once. Of `device list`
      --device-state WORD  of `device list`: right, behind, trial, failing or silent
      --query TEXT         of `device list`: a part of a name or id
      --comment TEXT       of `publish`
      --steps SHARES       of `publish`: 1,10,100 percent; all at once without it
      --pause SECONDS      of `publish`: how long each step is looked at
      --bound PERCENT      of `publish`: the most failures; 2 without it
      --name NAME          of `publish`: what devices call it, in their history
      --from TIME          of `publish` and `diff`: from when it holds, above what holds otherwise: 2026-12-24T18:00
                           where the device is, 2026-12-24T17:00Z in UTC
      --until TIME         of `publish` and `diff`: until when
      --trial TIME         of `publish` and `diff`: 90s, 10m, 2h, 1d: it goes back by itself unless it proves good
      --check NAME         of `publish` and `diff`: the app's check that says so; without it that the console is reached
      --app NAME           of `publish` and `diff`: the app that it is for
      --schema VERSIONS    of `publish` and `diff`: 3 or 3..5: the versions of the schema that it is for
      --revision N         of `draft` and `publish`: the revision of the draft that was seen
      --channel NAME       of `rollout list`
      --limit N            how many lines
      --json               print JSON
      -h, --help           print this

    A channel is `fleet`, `group.NAME` or `device.ID`; a verb is recommend, replace, enforce or release.
    """
  }
}
