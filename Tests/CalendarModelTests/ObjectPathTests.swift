import Testing

@testable import CalendarModel

@Suite struct ObjectPathTests {
  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// FIPS 180-4 and RFC 6234, and every length around the end of a block.
  @Test func digestsAreThoseOfTheStandard() {
    #expect(
      ObjectPathTests.hex(SHA256.hash("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      ObjectPathTests.hex(SHA256.hash([]))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      ObjectPathTests.hex(SHA256.hash(two.utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
    #expect(
      ObjectPathTests.hex(SHA256.hash(million))
        == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
    #expect(
      ObjectPathTests.hex(SHA1.hash("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      ObjectPathTests.hex(SHA1.hash(two.utf8)) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
  }

  @Test func base32IsThatOfRFC4648InLowerCase() {
    let cases = [
      ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"),
      ("fooba", "mzxw6ytb"), ("foobar", "mzxw6ytboi"),
    ]
    for (text, coded) in cases { #expect(ObjectPath.base32(Array(text.utf8)) == coded) }
  }

  /// RFC 9562 A.4: the name-based UUID of `www.example.com` in the DNS namespace.
  @Test func derivedUUIDsAreThoseOfTheStandard() {
    let dns: [UInt8] = [
      0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
      0xc8,
    ]
    #expect(
      ObjectPath.derivedUUID(namespace: dns, name: "www.example.com")
        == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    #expect(
      ObjectPath.uuid(bytes: [UInt8](repeating: 0xFF, count: 16))
        == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(ObjectPath.uuid(bytes: []) == "00000000-0000-4000-8000-000000000000")
    let one = ObjectPath.derivedUID(storeUID: "s", path: "calendars/home/events/dentist.json")
    #expect(ObjectPath.isUUID(one))
    #expect(
      one != ObjectPath.derivedUID(storeUID: "t", path: "calendars/home/events/dentist.json"))
    #expect(
      ObjectPath.splitUID(uid: "u", key: "2026-12-03")
        == ObjectPath.derivedUUID(namespace: ObjectPath.namespace, name: "u/2026-12-03"))
  }

  @Test func pathsFollowFromTheUID() {
    #expect(
      ObjectPath.path(
        kind: .event, collection: "home", uid: "6F6A0B0E-54A5-4A3E-9F0E-0B6F4E3F2A11")
        == "calendars/home/events/6f/6f6a0b0e-54a5-4a3e-9f0e-0b6f4e3f2a11.json")
    #expect(
      ObjectPath.path(
        kind: .event, collection: "home", uid: "7kukuqrfedlm2f9t0vr1q0o5ub@google.com")
        == "calendars/home/events/gc/_gctor64yg3rgudikpvfcqua6mm.json")
    let instance = ObjectPath.stem(
      uid: "6f6a0b0e-54a5-4a3e-9f0e-0b6f4e3f2a11", recurrenceID: "2026-12-03")
    #expect(instance.hasPrefix("_") && instance.utf8.count == 27)
    #expect(ObjectPath.stem(uid: "../../etc/passwd").utf8.allSatisfy { $0 != UInt8(ascii: "/") })
  }

  @Test func placesSayWhatAFileIs() {
    let cases: [(String, FileKind?, String)] = [
      ("almanac.json", .store, ""), ("calendars/home/calendar.json", .calendar, "home"),
      ("lists/groceries/list.json", .list, "groceries"),
      ("calendars/home/events/dentist.json", .event, "home"),
      ("calendars/home/events/a/b/c.json", .event, "home"),
      ("lists/house/reminders/3a/x.json", .reminder, "house"), ("README.md", nil, ""),
      ("calendars/home/events/notes.txt", nil, ""), ("calendars/home/other.json", nil, ""),
      ("files/bb/x.json", nil, ""), ("calendars/home/reminders/x.json", nil, ""),
      ("overlays/home/events/x.json", nil, ""), ("calendars/calendar.json", nil, ""),
    ]
    for (path, kind, collection) in cases {
      let found = ObjectPath.kind(ofPath: path)
      #expect(found?.kind == kind && found?.collection ?? "" == collection, "\(path)")
    }
  }

  @Test func slugsAreShortPlainAndNoDevices() {
    let cases = [
      ("Home", "home"), ("Work (Ada)", "work-ada"), ("Privé & École", "prive-ecole"),
      ("Große Übung", "grosse-ubung"), ("Łódź", "lodz"), ("  --  x", "x"),
      ("Parents' evening", "parents-evening"), ("con", "con-calendar"), ("COM1", "com1-calendar"),
      ("comb", "comb"), ("2027", "2027"),
    ]
    for (name, slug) in cases { #expect(ObjectPath.slug(for: name) == slug, "\(name)") }
    #expect(ObjectPath.slug(for: "家族").hasPrefix("calendar-"))
    #expect(ObjectPath.slug(for: "家族") != ObjectPath.slug(for: "仕事"))
    #expect(ObjectPath.slug(for: String(repeating: "long ", count: 20)).utf8.count <= 40)
  }

  @Test func entryIDsFollowFromTheContent() {
    func id(_ offset: String) -> String {
      EntryID.alert(["trigger": ["offset": .string(offset)]])
    }
    #expect(id("-PT30M") == "30m-before" && id("PT9H") == "9h-after" && id("PT0S") == "at-time")
    #expect(id("-P6DT15H") == "6d15h-before" && id("-P7D") == "1w-before")
    #expect(id("-PT90M") == "1h30m-before")
    #expect(
      EntryID.participant(address: "mailto:Ada.Brandt@work.example.com")
        == "ada-brandt-work-example-com")
    let one = EntryID.content(["name": "Hall"], name: "locations/x")
    #expect(one.utf8.count == 6 && one == EntryID.content(["name": "Hall"], name: "locations/x"))
    #expect(one != EntryID.content(["name": "hall"], name: "locations/x"))
  }
}
