/// The instants at which clocks of a zone show a wall-clock time.
public enum CivilResolution: Hashable, Sendable {
  /// The time occurs once.
  case unique(Instant)
  /// The time is skipped: clocks jump from offset `before` to `after`. The instant is the one that
  /// the offset before the gap gives (RFC 5545 3.3.5).
  case gap(Instant, before: UTCOffset, after: UTCOffset)
  /// The time occurs twice.
  case fold(first: Instant, second: Instant)

  /// The instant that RFC 5545 3.3.5 chooses: the only one, the first of two, and in a gap the one
  /// that the offset before the gap gives (so 02:30 is read as 03:30).
  @inlinable
  public var instant: Instant {
    switch self {
    case .unique(let instant), .gap(let instant, _, _), .fold(let instant, _): instant
    }
  }
}
