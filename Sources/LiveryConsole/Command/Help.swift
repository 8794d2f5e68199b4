extension Command {
  static var help: String {
    """
    livery console: the settings of a fleet of devices

      livery console init FLEET            make a console: tables, a signing key, a root key
      livery console serve                 serve devices, programs and people until SIGTERM; prints the address
      livery console admin add NAME        somebody who may sign in; the password comes from standard input
      livery console admin set NAME        gives another password, or none, which keeps it, and another role
      livery console admin remove NAME, admin list
      livery console token make ADMIN      a token for programs; prints it once
      livery console token remove|list
      livery console schema add FILE       what settings there are, as a schema; schema list
      livery console group add|remove|up|down NAME, group list
      livery console device list, device show|remove ID, device name ID NAME, device groups ID [GROUP…]
      livery console asset add FILE        takes an image and prints its id, the value of a setting that shows it
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
      livery console keys                  who signs; keys rotate, keys revoke: another key does
      livery console keys roots            other root keys: --root for each of them, --threshold N
      livery console keys show REQUEST     what root keys are asked to sign, without a console
      livery console keys sign REQUEST     signs with a root key what was asked for elsewhere, without a console
      livery console keys import REQUEST   takes what was signed
      livery console keys make FILE        makes a root key and prints its public half; keys public FILE
      livery console status                how the fleet is
      livery console config                what is noted of options; config set NAME VALUE, config unset NAME
      livery console simulate [OPTION…]    a fleet in virtual time: livery-simulate

      --state DIR          the console's folder; else $LIVERY_CONSOLE
      --database URL       postgresql://…; a file in the folder without it
      --publish PLACE      the folder that a web server delivers, or a bucket: s3://NAME/PREFIX
      --endpoint URL       the store that the bucket is of; AWS without it
      --region NAME        the bucket's region; else $AWS_REGION or $AWS_DEFAULT_REGION
      --credentials FILE   who puts things there: aws_access_key_id = … and aws_secret_access_key = …, of mode 0400;
                           $AWS_ACCESS_KEY_ID, $AWS_SECRET_ACCESS_KEY and $AWS_SESSION_TOKEN without it
      --endpoint-ca-file FILE  whom to trust there, in PEM; whom the system trusts without it
      --broker URL         mqtt://HOST[:PORT] or mqtts://…, where hints go to
      --broker-user NAME   who the console is to the broker
      --broker-password-file FILE  its password: the first line, of mode 0400
      --broker-ca-file FILE  whom to trust with mqtts://, in PEM; whom the system trusts without it
      --broker-client-id TEXT  the identifier of the connection of `serve`; one by chance without it
      --url URL            the fleet's address, as devices know it
                           `init` notes these, and `config` changes what is noted
      --listen ADDRESS     of `serve`: an address and a port; 127.0.0.1:8080 without it
      --host NAME          of `serve`: a name under which it may be asked; can be given more than once
      --publish-again      of `serve`: the bucket has lost something, and gets all of it anew
      --behind-proxy       of `serve`: a web server in front says in X-Forwarded-For for whom it asks
      --root-key FILE      of `init` and `keys`: where the root key is; of `keys` can be given more than once
      --root KEY           of `keys roots`: a file of a root key, which signs, or the public half of one. Once for each
      --threshold N        of `keys roots`: how many of them have to sign; 1 without it
      --request FILE       of `keys rotate`, `revoke` and `roots`: what is to be signed elsewhere is written there
      --role ROLE          of `admin`: editor or viewer; without it editor for somebody new, and no other for who is there
      --password-file FILE  of `admin`: its first line, in place of standard input
      --none               of `device groups`: the device is in no group any more; without it and groups they are told
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
      --limit N            how many lines; 100 without it, of `device list` all
      --offset N           of `device list`: how many are left out at the beginning
      --json               print JSON
      -h, --help           print this
      --version            print the version

    A channel is `fleet`, `group.NAME` or `device.ID`; a verb is recommend, replace, enforce or release.
    """
  }
}
