import LiveryClient
import LiveryHTTP

extension Parts {
  /// What a search found: what `livery_search` in C tells.
  func results(_ query: String, _ found: Value) -> HTML {
    let total = found["total"]?.whole ?? found["results"]?.count ?? 0
    var html: HTML = "<h1>\(words[.search])</h1>\n"
    html +=
      "<p role=\"status\">\(total == 0 ? words[.nothingFound] : "\(total) \(words[.found])")</p>\n<ul class=\"results\">\n"
    for result in found["results"]?.items ?? [] {
      guard let name = result["name"]?.text else { continue }
      let matches = result["matches"]?.items ?? []
      let path = form.page(of: name)
      let element = form.element(name)
      let title = result["title"]?.text ?? name
      html += "<li><a href=\"\(root)/at/\(path.map { Form.text($0) } ?? "0")#r\(fingerprint(name.utf8))\">"
      html += marked(title, matches, "title")
      html += "</a> <span class=\"path\">"
      for (index, part) in (result["group"]?.items ?? []).enumerated() {
        html += "\(index == 0 ? "" : " › ")\(part.text ?? "")"
      }
      html += "</span>"
      if let value = result["value"], let element, element.kind != .secret {
        html += " <span class=\"value\">\(Parts.cut(Row.display(element, element.shown(value), words)))</span>"
      }
      html += elsewhere(matches)
      html += "</li>\n"
    }
    html += "</ul>\n"
    return html
  }

  /// The texts in which something was found, besides the title.
  private func elsewhere(_ matches: [Value]) -> HTML {
    var html: HTML = ""
    var known: [String] = []
    for match in matches {
      guard let field = match["field"]?.text, !field.sameBytes(as: "title"), let text = match["text"]?.text else {
        continue
      }
      guard !known.contains(where: { $0.sameBytes(as: text) }) else { continue }
      known.append(text)
      html += "<span class=\"match\">"
      html += marked(text, matches, field)
      html += "</span>"
    }
    return html
  }

  /// A text with what was found in it marked.
  private func marked(_ text: String, _ matches: [Value], _ field: String) -> HTML {
    let bytes = Array(text.utf8)
    var isMarked = [Bool](repeating: false, count: bytes.count)
    for match in matches
    where match["field"]?.text?.sameBytes(as: field) ?? false && match["text"]?.text?.sameBytes(as: text) ?? true {
      guard let offset = match["offset"]?.whole, let length = match["length"]?.whole, offset >= 0, length > 0,
        offset <= bytes.count, length <= bytes.count - offset
      else { continue }
      for place in offset..<(offset + length) { isMarked[place] = true }
    }
    var html: HTML = ""
    var start = 0
    while start < bytes.count {
      var end = start + 1
      while end < bytes.count, isMarked[end] == isMarked[start] { end += 1 }
      let part = String(decoding: bytes[start..<end], as: UTF8.self)
      html += isMarked[start] ? "<mark>\(part)</mark>" : "\(part)"
      start = end
    }
    return html
  }
}
