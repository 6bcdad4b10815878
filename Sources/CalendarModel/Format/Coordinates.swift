/// A place on Earth as a `geo:` URI (RFC 5870); the uncertainty `u` is a radius (RFC 9074).
public struct Coordinates: Hashable, Sendable {
  /// Degrees north, -90...90.
  public var latitude: Double
  /// Degrees east, -180...180.
  public var longitude: Double
  /// The radius in metres; nil if none is given.
  public var radiusMetres: Double?

  /// Creates a place.
  public init(latitude: Double, longitude: Double, radiusMetres: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.radiusMetres = radiusMetres
  }

  /// Reads `geo:52.4848,13.4409;u=150`; nil if it is malformed or out of range. An altitude and
  /// parameters other than `u` are passed over.
  public init?(geo text: some StringProtocol) {
    guard text.prefix(4).lowercased() == "geo:" else { return nil }
    let parts = text.dropFirst(4).split(separator: ";", omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false)
    guard numbers.count == 2 || numbers.count == 3,
      let latitude = Coordinates.number(numbers[0]), abs(latitude) <= 90,
      let longitude = Coordinates.number(numbers[1]), abs(longitude) <= 180
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("u=") {
      guard let radius = Coordinates.number(parameter.dropFirst(2)) else { return nil }
      radiusMetres = radius
    }
  }

  /// A decimal without exponent.
  private static func number(_ text: some StringProtocol) -> Double? {
    let valid = text.utf8.allSatisfy {
      ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || "-.".utf8.contains($0)
    }
    return valid ? Double(text) : nil
  }
}
