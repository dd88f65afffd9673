//! Typed ids: each is a UUID that names one kind of thing, so that code which swaps two of them does not compile. The ids of
//! things that several services know are here; the others are in the domain of their service.

/// Defines types of ids. In the database each is a `uuid`, in JSON and as text its hyphenated form.
#[macro_export]
macro_rules! id {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize,
            ::sqlx::Type,
        )]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(::uuid::Uuid);

        impl $name {
            /// The id with this UUID.
            #[must_use]
            pub const fn new(id: ::uuid::Uuid) -> Self {
                Self(id)
            }

            /// The UUID.
            #[must_use]
            pub const fn get(self) -> ::uuid::Uuid {
                self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl From<::uuid::Uuid> for $name {
            fn from(id: ::uuid::Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for ::uuid::Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

impl From<MemberId> for UserId {
    fn from(id: MemberId) -> Self {
        Self(id.0)
    }
}

impl From<StaffId> for UserId {
    fn from(id: StaffId) -> Self {
        Self(id.0)
    }
}

impl UserId {
    /// The account as a member's. Right where its row or session has no role, or the request can be about a member only.
    #[must_use]
    pub const fn assume_member(self) -> MemberId {
        MemberId(self.0)
    }

    /// The account as one of staff. Right where its row or session has a role.
    #[must_use]
    pub const fn assume_staff(self) -> StaffId {
        StaffId(self.0)
    }
}

id! {
    /// An account: of a member or of staff.
    UserId,
    /// A member.
    MemberId,
    /// A person of staff.
    StaffId,
    /// A login.
    SessionId,
    /// A line of a member's history.
    TransactionId,
    /// An investment of a member in a plan.
    TradeId,
    /// An investment plan.
    PlanId,
    /// A payment method: of the platform or of a member.
    MethodId,
    /// A price that is kept for a member for some time.
    QuoteId,
    /// A change that waits for a second person, or did.
    ProposalId,
}
