import LiveryClient
import LiveryHTTP
import LiveryPage

/// What stands around every page of the console.
struct Layout {
  /// Where in the console a page is.
  enum Section: CaseIterable {
    case devices, groups, channels, publications, enrollment, schemas, history

    var title: String {
      switch self {
      case .devices: "Devices"
      case .groups: "Groups"
      case .channels: "Channels"
      case .publications: "Publications"
      case .enrollment: "Enrollment"
      case .schemas: "Schemas"
      case .history: "History"
      }
    }

    var path: String {
      switch self {
      case .devices: "/devices"
      case .groups: "/groups"
      case .channels: "/channels"
      case .publications: "/publications"
      case .enrollment: "/enrollment"
      case .schemas: "/schemas"
      case .history: "/history"
      }
    }
  }

  var fleet: String
  var person: Person
  var section: Section?
  /// Stands beneath the sections: the groups of settings of a form.
  var more: HTML?
  /// What everybody has to know: above every page.
  var notice: HTML = ""
  /// With what the addresses of a form begin.
  var root = ""
  /// What was searched for in it.
  var query = ""

  func document(_ title: String, _ main: HTML) -> HTML {
    """
    \(Layout.head(title, fleet))
    <link rel="stylesheet" href="/brand.css">
    <script src="/script.js?v=\(FramedForm.script.version ?? "")" defer></script>
    </head>
    <body data-root="\(root)" data-unsaved="Not saved yet" data-changed="Somebody else has changed this to:" \
    data-offline="The console does not answer." data-ended="You are signed out: please sign in again.">
    <a class="skip" href="#main">To the content</a>
    <header class="bar"><a class="name" href="/">\(fleet)</a>
    <form role="search" action="/devices" method="get"><label class="unseen" for="find">Find devices</label>\
    <input type="search" id="find" name="q" placeholder="Find devices" autocomplete="off" maxlength="200"></form>
    <form action="/sign-out" method="post">\(token)<a class="who" href="/password" title="Change the password">\(person.name)\
    \(person.mayChange ? "" : " (viewer)")</a> \
    <button>Sign out</button></form>
    </header>
    <div class="body">
    \(navigation)
    <main id="main" tabindex="-1">\(notice)\(main)</main>
    </div>
    <p id="live" class="unseen" role="status"></p>
    </body>
    </html>

    """
  }

  /// The field that says of a form that it is the session's own.
  var token: HTML { "<input type=\"hidden\" name=\"csrf\" value=\"\(person.csrf)\">" }

  private static func head(_ title: String, _ fleet: String) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <title>\(title) – \(fleet)</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css?v=\(FramedForm.style.version ?? "")">
    """
  }

  private var navigation: HTML {
    var html: HTML = "<div class=\"side\"><nav aria-label=\"Console\"><ul>\n"
    for section in Section.allCases {
      let isHere = self.section == section
      html += """
        <li><a href="\(section.path)"\(" aria-current=\"page\"", if: isHere && more == nil)\
        \(" aria-current=\"true\"", if: isHere && more != nil)>\(section.title)</a></li>

        """
    }
    html += "</ul></nav>\n"
    if let more {
      html += """
        <form role="search" aria-label="Settings" action="\(root)/search" method="get" class="more"><label class="unseen" for="q">\
        Search all settings</label><input type="search" id="q" name="q" value="\(query)" placeholder="Search settings" \
        autocomplete="off" maxlength="1024"></form>
        <nav aria-label="Groups of settings">\(more)</nav>

        """
    }
    html += "</div>"
    return html
  }

  /// For who has not signed in.
  static func alone(_ title: String, _ fleet: String, _ content: HTML) -> HTML {
    "\(head(title, fleet))</head>\n<body><main class=\"alone\"><h1>\(title)</h1>\n\(content)</main></body></html>\n"
  }
}

extension HTML {
  static func + (left: HTML, right: HTML) -> HTML {
    var html = left
    html += right
    return html
  }
}

/// Small things that pages are made of.
enum Piece {
  static func time(_ seconds: Int64?) -> HTML {
    guard let seconds else { return "never" }
    return HTML.time(Timestamp(microseconds: seconds.multipliedReportingOverflow(by: 1_000_000).partialValue))
  }

  /// Of a share in hundredths of a percent.
  static func percent(_ share: Int) -> String {
    let rest = share % 100
    return rest == 0 ? "\(share / 100) %" : "\(share / 100).\(rest < 10 ? "0" : "")\(rest) %"
  }

  static func chip(_ text: String, _ kind: HTML = "") -> HTML { "<span class=\"chip\(kind)\">\(text)</span>" }

  static func chip(_ state: DeviceState) -> HTML {
    switch state {
    case .right: chip(state.title, " good")
    case .failing: chip(state.title, " bad")
    case .behind, .trial, .silent: chip(state.title)
    }
  }

  static func chip(_ state: PublicationLine.State) -> HTML {
    switch state {
    case .complete: chip(state.title, " good")
    case .stopped, .undone: chip(state.title, " bad")
    case .rolling, .over: chip(state.title)
    }
  }

  /// "Publication 12 christmas".
  static func title(of line: PublicationLine) -> String {
    "Publication \(line.number)" + (line.name.map { " " + $0 } ?? "")
  }

  static func notice(_ text: String, isGood: Bool = false) -> HTML {
    isGood
      ? "<p class=\"notice good\" role=\"status\" tabindex=\"-1\" id=\"notice\">\(text)</p>\n"
      : "<p class=\"notice bad\" role=\"alert\" tabindex=\"-1\" id=\"notice\">\(text)</p>\n"
  }

  /// Leads to what comes before and after a part of a list; nothing if that is all of it.
  static func pager(
    _ label: HTML, _ from: Int, _ shown: Int, _ total: Int, _ limit: Int, _ address: (Int) -> HTML
  ) -> HTML {
    guard from > 0 || from + shown < total else { return "" }
    var html: HTML = "<nav aria-label=\"\(label)\" class=\"pager\">"
    if from > 0 { html += "<a class=\"button\" href=\"\(address(max(0, from - limit)))\">Before</a> " }
    html += "<span>\(min(from + 1, total)) to \(from + shown) of \(total)</span>"
    if from + shown < total { html += " <a class=\"button\" href=\"\(address(from + limit))\">Next</a>" }
    return html + "</nav>\n"
  }

  static func joined(_ texts: [String], _ empty: String = "–") -> String {
    var joined = ""
    for text in texts { joined += (joined.isEmpty ? "" : ", ") + text }
    return joined.isEmpty ? empty : joined
  }

  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  static func head(_ columns: [String]) -> HTML {
    var html: HTML = "<thead><tr>"
    for column in columns { html += "<th scope=\"col\">\(column)</th>" }
    html += "</tr></thead>"
    return html
  }

  /// What devices do with a setting.
  static func verb(_ verb: String) -> String {
    switch verb {
    case "recommend": "Recommend"
    case "replace": "Replace"
    case "enforce": "Enforce"
    case "release": "Release"
    default: "Not set"
    }
  }

  static func link(channel: String) -> HTML {
    "<a href=\"/channels/\(query: channel)\">\(title(ofChannel: channel))</a>"
  }

  /// Leads nowhere if it was removed.
  static func link(channelOf line: PublicationLine) -> HTML {
    line.isGone ? "\(title(ofChannel: line.channel)), removed" : link(channel: line.channel)
  }

  static func title(ofChannel name: String) -> String {
    if let group = name.after("group.") { return "Group \(group)" }
    if let device = name.after("device.") { return "Device \(device)" }
    return "Fleet"
  }
}
