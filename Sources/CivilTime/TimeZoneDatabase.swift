import Synchronization

/// Zone rules by name, loaded once each; safe to use from any thread.
public final class TimeZoneDatabase: Sendable {
  private let loader: @Sendable (TimeZoneID) throws(TimeZoneError) -> [UInt8]
  private let lister: @Sendable () -> [String]
  private let cache = Mutex<[String: Result<TimeZoneRules, TimeZoneError>]>([:])

  /// Creates a database over a source of zone files.
  ///
  /// - Parameters:
  ///   - lister: returns the names of all zones, in any order.
  ///   - loader: returns the bytes of a zone file; throws `TimeZoneError.unknownZone` if there is
  ///     none.
  public init(
    lister: @escaping @Sendable () -> [String] = { [] },
    loader: @escaping @Sendable (TimeZoneID) throws(TimeZoneError) -> [UInt8]
  ) {
    self.lister = lister
    self.loader = loader
  }

  /// Creates a database over a folder of zone files, by default the system's.
  public convenience init(directory: String = SystemZoneInfo.defaultDirectory) {
    let source = SystemZoneInfo(directory: directory)
    self.init(
      lister: { source.names() }, loader: { id throws(TimeZoneError) in try source.load(id) })
  }

  /// The rules of a zone.
  ///
  /// - Throws: `TimeZoneError` if there is no such zone or its file cannot be used; the failure is
  ///   remembered as the rules are.
  public func rules(for id: TimeZoneID) throws(TimeZoneError) -> TimeZoneRules {
    if let known = cache.withLock({ $0[id.name] }) { return try known.get() }
    let loaded: Result<TimeZoneRules, TimeZoneError>
    do throws(TimeZoneError) {
      loaded = .success(try TimeZoneRules(tzif: loader(id), id: id))
    } catch {
      if id == .utc { loaded = .success(.utc) } else { loaded = .failure(error) }
    }
    cache.withLock { $0[id.name] = loaded }
    return try loaded.get()
  }

  /// The rules of a zone, or nil if the name is malformed, unknown, or its file cannot be used.
  public func rules(named name: String) -> TimeZoneRules? {
    guard let id = TimeZoneID(name) else { return nil }
    return try? rules(for: id)
  }

  /// The names of all zones, sorted by their bytes; empty if the source cannot list them.
  public func names() -> [String] {
    lister().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
