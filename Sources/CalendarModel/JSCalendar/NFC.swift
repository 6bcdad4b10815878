@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode normalisation form C, in which the names of members are written.
  var nfc: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var normalised = ""
    normalised.unicodeScalars.append(contentsOf: _nfc)
    return normalised
  }

  /// The scalars of the text with letters and their accents taken apart (normalisation form D).
  var decomposedScalars: [Unicode.Scalar] { Array(_nfd) }
}
