// W304 and W401: what a series' keys lead to.
extension ObjectValidator {
  /// Keys of overrides that match nothing: W304 for segments, W401 for exceptions.
  ///
  /// Not among `problems(in:kind:zones:)`, since it is needed for reports only. Exclusions that
  /// match nothing are no orphans, nor are records of completion: both say only what was.
  ///
  /// - Complexity: O(*k*) in the number of keys, independent of their distance from the start.
  public static func occurrenceProblems(in object: CalendarObject) -> [Problem] {
    guard object["futureOverrides"] != nil || object["recurrenceOverrides"] != nil,
      let series = try? Series(object), series.isEvaluable
    else { return [] }
    return orphans(in: series) + strayKeys(in: series)
  }

  private static func orphans(in series: Series) -> [Problem] {
    series.overrides.compactMap { id, patch in
      if patch["added"] == true || patch["excluded"] == true || series.generates(id) { return nil }
      let names = Set(patch.names)
      if !names.isEmpty, names.isSubset(of: ["progress", "completed"]) { return nil }
      return Problem(
        code: "W401", pointer: "recurrenceOverrides/\(id)",
        message: "\(id) is no date of the series; drop the entry, or add \"added\": true")
    }
  }

  private static func strayKeys(in series: Series) -> [Problem] {
    let first = series.object.anchor?.date
    let patches = series.object["futureOverrides"]?.objectValue?.members ?? []
    return patches.compactMap { member in
      guard let id = RecurrenceID(member.name), id.value.date != first,
        let patch = member.value.objectValue, patch["recurrenceRule"] == nil,
        !series.generates(id)
      else { return nil }
      return Problem(
        code: "W304", pointer: "futureOverrides/\(member.name)",
        message: "\(id) is no date of the series; the change begins at the next one")
    }
  }
}
