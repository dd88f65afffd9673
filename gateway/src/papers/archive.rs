//! A ZIP archive that is written while it is sent. Its files are stored as they are. Their length and checksum come before
//! their content, which every program can read.

use std::io;

/// Names are in UTF-8.
const UTF_8: u16 = 1 << 11;
/// The version of the format that has what is used here.
const VERSION: u16 = 20;
/// January 1, 1980: files carry no time of their own.
const DATE: u16 = 0x21;

/// What has been written so far.
#[derive(Debug, Default)]
pub struct Archive {
    /// Bytes before the next file.
    offset: u32,
    entries: u16,
    directory: Vec<u8>,
}

impl Archive {
    /// The bytes of the next file. Fails like [`Self::head`].
    pub fn file(&mut self, name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = self.head(name, content.len() as u64, crc32fast::hash(content))?;
        bytes.extend_from_slice(content);
        Ok(bytes)
    }

    /// The bytes before the content of the next file. The error says that the archive has no room for it: at most 65,535
    /// files, and 4 GiB.
    pub fn head(&mut self, name: &str, size: u64, checksum: u32) -> io::Result<Vec<u8>> {
        let size = u32::try_from(size).map_err(|_| full())?;
        let length = u16::try_from(name.len()).map_err(|_| full())?;
        let mut common = Vec::with_capacity(26);
        for word in [VERSION, UTF_8, 0, 0, DATE] {
            common.extend(word.to_le_bytes());
        }
        for long in [checksum, size, size] {
            common.extend(long.to_le_bytes());
        }
        common.extend(length.to_le_bytes());
        common.extend([0; 2]);
        let head = [b"PK\x03\x04", common.as_slice(), name.as_bytes()].concat();

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(common);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(self.offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        let written = u32::try_from(head.len()).ok().and_then(|length| length.checked_add(size)).ok_or_else(full)?;
        self.offset = self.offset.checked_add(written).ok_or_else(full)?;
        self.entries = self.entries.checked_add(1).ok_or_else(full)?;
        Ok(head)
    }

    /// The bytes behind the last file.
    pub fn end(self) -> io::Result<Vec<u8>> {
        let size = u32::try_from(self.directory.len()).map_err(|_| full())?;
        let mut bytes = self.directory;
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend([0; 2]);
        Ok(bytes)
    }
}

fn full() -> io::Error {
    io::Error::other("the archive is full")
}

#[cfg(test)]
mod tests {
    use super::Archive;

    /// [D-A12] The bytes of a small archive, as another program (Python's zipfile) writes and reads them.
    #[test]
    fn an_archive_is_a_zip_file() {
        let mut archive = Archive::default();
        let mut bytes = archive.file("a/ü.json", b"[]\n").unwrap();
        bytes.extend(archive.file("b", b"").unwrap());
        bytes.extend(archive.end().unwrap());
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, EXPECTED);
    }

    const EXPECTED: &str = "504b03041400000800000000210044d26870030000000300000009000000612fc3bc2e6a736f6e5b5d0a504b0304140000080000000021000000000000000000000000000100000062504b010214001400000800000000210044d268700300000003000000090000000000000000000000000000000000612fc3bc2e6a736f6e504b010214001400000800000000210000000000000000000000000001000000000000000000000000002a00000062504b0506000000000200020066000000490000000000";
}
