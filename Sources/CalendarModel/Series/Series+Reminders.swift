public import CivilTime

extension Series {
  /// What progress says that nothing is left to do.
  private static let final: Set<String> = ["completed", "failed", "cancelled"]

  /// The first occurrence that is still to be done (FORMAT.md 1.10): neither excluded nor completed,
  /// failed or cancelled; nil if there is none, or the object has no date and is done.
  ///
  /// - Complexity: follows the number of overrides.
  public func firstOpen() -> RecurrenceID? {
    // Every occurrence that is done has an override, unless the whole segment says so.
    var left = overrides.count + segments.count + 1
    var ids = visibleIDs()
    while left > 0, let id = ids.next() {
      left -= 1
      let progress: JSONValue?
      if let own = override(id)?["progress"] {
        progress = own
      } else {
        progress = segment(at: id)?.values["progress"]
      }
      if !Series.final.contains(progress?.stringValue ?? "") { return id }
    }
    return nil
  }

  /// Marks an occurrence of a reminder as done; without an ID the first open one. A reminder that
  /// does not repeat is done itself; a series never is.
  ///
  /// - Parameter instant: when it was done; nil if that is not known.
  /// - Throws: `SpanError`; `occurrenceNeeded` if no occurrence is open.
  public func completing(
    at id: RecurrenceID? = nil, on instant: Instant?
  ) throws(SpanError) -> SpanOutcome {
    var edit = SeriesEdit([("progress", "completed")])
    edit.set("completed", instant.map { .string($0.description) })
    guard repeats else { return try applying(edit, span: .this) }
    guard let id = id ?? firstOpen() else { throw .occurrenceNeeded }
    return try applying(edit, span: .this, at: id)
  }

  /// Marks an occurrence as still to be done; a reminder that does not repeat itself.
  ///
  /// - Throws: `SpanError`.
  public func reopening(at id: RecurrenceID? = nil) throws(SpanError) -> SpanOutcome {
    try applying(SeriesEdit([("progress", nil), ("completed", nil)]), span: .this, at: id)
  }
}
