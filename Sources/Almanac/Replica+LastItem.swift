extension Replica {
  private var lastItemFile: String { repository.gitDirectory + "almanac/last" }

  /// The UID of the item last added or shown in this clone; nil if there is none.
  public var lastItem: String? {
    guard let bytes = FilePath.contents(lastItemFile), !bytes.isEmpty, bytes.count <= 1_024 else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Notes an item as the last one.
  public func rememberItem(_ uid: String) {
    guard lastItem != uid else { return }
    FilePath.makeFolders(repository.gitDirectory + "almanac")
    FilePath.write(lastItemFile, Array(uid.utf8))
  }

  /// The mail address by which commits of this clone are signed.
  public var ownAddress: String {
    environment.author.email ?? repository.config("user.email")
      ?? "\(environment.loginName)@\(environment.hostName)"
  }
}
