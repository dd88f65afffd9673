/// The network that a node must be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    Main,
    /// For tests and the local stack; its scripts are those of the main network.
    Regtest,
}

impl Network {
    pub(super) const fn chain(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Regtest => "regtest",
        }
    }

    /// The hash of the first block.
    pub(super) const fn genesis(self) -> &'static str {
        match self {
            Self::Main => "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
            Self::Regtest => "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
        }
    }
}
