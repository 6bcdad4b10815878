public import CivilTime

/// Everything that comes from outside: clock, randomness, zone data, identity, variables.
public struct Environment: Sendable {
  /// The moment that counts as now.
  public var now: @Sendable () -> Instant
  /// Returns so many random bytes.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  /// Zone data.
  public var zones: TimeZoneDatabase
  /// The name of the zone in which times are shown and all-day items are placed.
  public var localZoneName: String
  /// The login name, used where git has no identity.
  public var loginName: String
  /// The name of this machine.
  public var hostName: String
  /// Name and address that go before those of git's configuration, as git's own variables
  /// `GIT_AUTHOR_NAME` and `GIT_AUTHOR_EMAIL` do; nil where they are not set.
  public var author: (name: String?, email: String?) = (nil, nil)

  /// Creates an environment.
  public init(
    now: @escaping @Sendable () -> Instant, randomBytes: @escaping @Sendable (Int) -> [UInt8],
    zones: TimeZoneDatabase, localZoneName: String, loginName: String, hostName: String
  ) {
    self.now = now
    self.randomBytes = randomBytes
    self.zones = zones
    self.localZoneName = localZoneName
    self.loginName = loginName
    self.hostName = hostName
  }

  /// The rules of the local zone; UTC if the zone data do not have it.
  public var localZone: TimeZoneRules { zones.rules(named: localZoneName) ?? .utc }

  /// A new random UID: a UUID of version 4 in lower case.
  func newUID() -> String { CalendarUUID.make(randomBytes(16)) }
}
