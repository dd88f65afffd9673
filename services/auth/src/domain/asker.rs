//! Who asks for something scarce. Places, codes and links are shared by askers, so that strangers use up nothing but
//! their own.

use chassis::id::UserId;
use uuid::Uuid;

use super::device::Device;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// A visitor, of whom only the address is known.
    Visitor {
        /// The address block.
        block: String,
        address: String,
    },
    /// An account: in a session of its own, or with a device key that it has logged in with before.
    Account {
        id: UserId,
        /// The address block that it asks from.
        block: String,
    },
}

impl Asker {
    #[must_use]
    pub fn visitor(device: &Device) -> Self {
        Self::Visitor { block: device.block.clone(), address: device.network.clone() }
    }

    #[must_use]
    pub fn account(id: UserId, device: &Device) -> Self {
        Self::Account { id, block: device.block.clone() }
    }

    /// Someone at the command line.
    #[must_use]
    pub const fn operator() -> Self {
        Self::Account { id: UserId::new(Uuid::nil()), block: String::new() }
    }

    #[must_use]
    pub fn block(&self) -> &str {
        match self {
            Self::Visitor { block, .. } | Self::Account { block, .. } => block,
        }
    }

    #[must_use]
    pub const fn is_account(&self) -> bool {
        matches!(self, Self::Account { .. })
    }
}
