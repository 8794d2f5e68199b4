/// The candidates that are most likely meant by a misspelt name, nearest first; none if none comes near.
///
/// Distance counts letters added, left out, changed or swapped with their neighbor; a change of letter case counts
/// little. Candidates equally near come in the order of their bytes. The cost of each is bounded.
public func nearestNames(
  to name: String, among candidates: some Sequence<String>, limit: Int = 3
) -> [String] {
  guard limit > 0, !name.utf8.isEmpty, name.utf8.count <= 255 else { return [] }
  let wanted = Letters(name)
  var nearest: [(name: String, distance: Int)] = []
  var rows = EditDistance(width: wanted.scalars.count)
  // Changes of letter case may come on top, up to what a letter counts.
  var bound = max(1, wanted.scalars.count / 3) * EditDistance.unit + EditDistance.unit - 1
  for candidate in candidates {
    guard candidate.utf8.count <= 255 else { continue }
    guard let distance = rows.distance(from: wanted, to: Letters(candidate), bound: bound) else { continue }
    var place = nearest.count
    while place > 0,
      distance < nearest[place - 1].distance
        || (distance == nearest[place - 1].distance && candidate.precedesInBytes(nearest[place - 1].name))
    {
      place -= 1
    }
    if place > 0, nearest[place - 1].name.sameBytes(as: candidate) { continue }
    nearest.insert((candidate, distance), at: place)
    if nearest.count > limit { nearest.removeLast() }
    if nearest.count == limit { bound = nearest[limit - 1].distance }
  }
  return nearest.map { $0.name }
}

/// The end of a message about an unknown name: "; did you mean `a`, `b` or `c`?", or nothing for no names.
public func didYouMean(_ names: [String]) -> String {
  guard let last = names.last else { return "" }
  var text = "; did you mean "
  for (index, name) in names.dropLast().enumerated() {
    if index > 0 { text += ", " }
    text += "`\(name)`"
  }
  if names.count > 1 { text += " or " }
  return text + "`\(last)`?"
}

private struct Letters {
  var scalars: [UInt32] = []
  var folded: [UInt32] = []

  init(_ text: String) {
    let count = text.utf8.count
    scalars.reserveCapacity(count)
    folded.reserveCapacity(count)
    for scalar in text.unicodeScalars {
      scalars.append(scalar.value)
      // Letter case beyond ASCII would bring the tables of Unicode along.
      folded.append(scalar.value >= 65 && scalar.value <= 90 ? scalar.value + 32 : scalar.value)
    }
  }
}

/// Optimal string alignment in units of an eighth, so that letter case can count less than a letter.
private struct EditDistance {
  static let unit = 8

  private var beforeLast, last, current: [Int]

  init(width: Int) {
    beforeLast = [Int](repeating: 0, count: width + 1)
    last = beforeLast
    current = beforeLast
  }

  /// The distance, or nil if it is more than the bound. Only cells within the bound of the diagonal are looked at.
  mutating func distance(from left: Letters, to right: Letters, bound: Int) -> Int? {
    let width = left.scalars.count
    let height = right.scalars.count
    let reach = bound / Self.unit
    guard abs(width - height) <= reach else { return nil }
    let beyond = bound + 1
    for column in 0...width { last[column] = min(beyond, column * Self.unit) }
    var lowestBefore = 0
    for row in 0..<height {
      let from = max(0, row - reach)
      let to = min(width - 1, row + reach)
      // Cells just outside the band are read by their neighbors.
      current[from] = from == 0 ? min(beyond, (row + 1) * Self.unit) : beyond
      var lowest = current[from]
      if from <= to {
        for column in from...to {
          var cost = 0
          if left.scalars[column] != right.scalars[row] {
            cost = left.folded[column] == right.folded[row] ? 1 : Self.unit
          }
          var best = min(last[column] + cost, current[column] + Self.unit)
          if column < row + reach { best = min(best, last[column + 1] + Self.unit) }
          if row > 0, column > 0, left.folded[column] == right.folded[row - 1],
            left.folded[column - 1] == right.folded[row]
          {
            best = min(best, beforeLast[column - 1] + Self.unit)
          }
          best = min(best, beyond)
          current[column + 1] = best
          lowest = min(lowest, best)
        }
      }
      guard min(lowest, lowestBefore) <= bound else { return nil }
      lowestBefore = lowest
      swap(&beforeLast, &last)
      swap(&last, &current)
    }
    return last[width] <= bound ? last[width] : nil
  }
}
