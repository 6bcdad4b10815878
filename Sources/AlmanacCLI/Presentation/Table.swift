/// Rows of cells in columns that line up; the last cell of a row is not filled.
struct Table {
  /// A cell: its text, safe to show, and how it looks.
  struct Cell {
    let text: String
    let styles: [Terminal.Style]

    init(_ text: String, _ styles: Terminal.Style...) {
      self.text = text
      self.styles = styles
    }
  }

  private var rows: [[Cell]] = []

  /// Adds a row.
  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// The lines, without blanks at their ends.
  func lines(_ terminal: Terminal, indent: String = "") -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], Terminal.width(cell.text))
      }
    }
    return rows.map { row in
      var line = indent
      for (column, cell) in row.enumerated() {
        let isLast = !row[(column + 1)...].contains { !$0.text.isEmpty }
        let filling =
          isLast
          ? ""
          : String(
            repeating: " ", count: widths[column] - Terminal.width(cell.text) + 2)
        line += terminal.styled(cell.text, cell.styles) + filling
        if isLast { break }
      }
      return line
    }
  }
}

extension Terminal {
  /// Text in a list of styles.
  func styled(_ text: String, _ styles: [Style]) -> String {
    guard hasColor, !styles.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
  }
}
