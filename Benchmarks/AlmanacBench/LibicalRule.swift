import CLibical
import CivilTime

/// A rule in libical, the peer.
struct LibicalRule {
  private let rule: icalrecurrencetype
  private let start: icaltimetype

  init(_ text: String, start: String) {
    rule = icalrecurrencetype_from_string(text)
    self.start = icaltime_from_string(start)
  }

  /// Calls a body with each occurrence until it returns false; seeks to `from` if it is given.
  func forEach(from: String? = nil, _ body: (icaltimetype) -> Bool) {
    guard let iterator = icalrecur_iterator_new(rule, start) else { return }
    defer { icalrecur_iterator_free(iterator) }
    if let from, rule.count == 0 {
      _ = icalrecur_iterator_set_start(iterator, icaltime_from_string(from))
    }
    while true {
      let next = icalrecur_iterator_next(iterator)
      guard icaltime_is_null_time(next) == 0, body(next) else { return }
    }
  }

  /// A number that stands for a time in checksums.
  static func code(_ time: icaltimetype) -> Int {
    let day = CivilDate.dayNumber(year: Int(time.year), month: Int(time.month), day: Int(time.day))
    return day * 86_400 + Int(time.hour) * 3_600 + Int(time.minute) * 60 + Int(time.second)
  }
}
