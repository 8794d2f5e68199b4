// The images of a variant, which has them by URL, and by the name that the file has in the bundle.

extension BrandReader {
  /// What the parts of a variant say of its images, in the order of `names`.
  struct VariantImages {
    static let names = ["logo", "loading"]
    var files: [(text: String, path: String)?] = [nil, nil]
    var urls: [(text: String, path: String)?] = [nil, nil]
  }

  /// Notes a member of `FileSystem` or `URL` that is about an image.
  mutating func noteVariantImage(_ member: Value.Member) {
    guard dialect == .characterVariants, case .string(let text) = member.value, !text.isEmpty else { return }
    if let place = Self.place(of: member.key, in: "logoimagename loadingimagename") {
      variantImages.files[place] = (text, pointer)
    } else if let place = Self.place(of: member.key, in: "logoimage loadingimage"), isAbsoluteURL(text) {
      variantImages.urls[place] = (text, pointer)
    }
  }

  /// Makes images of what was noted: of the file, and for want of one of the URL.
  mutating func settleVariantImages() {
    for (place, name) in VariantImages.names.enumerated() {
      let url = variantImages.urls[place]
      if let file = variantImages.files[place] {
        guard isImageReference(file.text), !leadsOut(file.text, at: file.path) else { continue }
        images.append(Image(name: name, qualifiers: [], reference: file.text, path: file.path, fallback: url?.text))
      } else if let url {
        images.append(Image(name: name, qualifiers: [], reference: url.text, path: url.path))
      }
    }
  }
}
