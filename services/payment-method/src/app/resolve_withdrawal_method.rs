//! The network and the destination of a withdrawal (D-R5, D-W1, D-W6).

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::id::{MemberId, MethodId};
use chassis::validate::is_text;

use crate::app::resolve_deposit_method::named_method;
use crate::domain::address::InvalidAddress;
use crate::domain::method::{Fields, Method, Scope};
use crate::domain::{address, network};
use crate::error::Error;
use crate::store::methods;

#[derive(Debug, Clone)]
pub struct ResolveWithdrawalMethod {
    pub user_id: MemberId,
    /// A platform method's id or unique currency code, or the id of an own method.
    pub method: String,
    /// What the member typed; empty to use a saved one.
    pub address: String,
    /// What the member typed; empty for none, or the saved one's.
    pub memo: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    pub method_id: MethodId,
    pub currency: String,
    pub network: String,
    /// Empty if the member gave none and has saved none of this network.
    pub address: String,
    /// Empty for none.
    pub memo: String,
}

/// The destination: as typed, else the named own method's, else the own method of that network that was changed last
/// (of that currency, if there is one). Whichever it is, its address is checked again: what was saved in good time may
/// have become the platform's own.
///
/// # Errors
/// `MethodUnavailable`, `Fields` (`address`, `memo`), `PlatformAddress`.
pub async fn resolve_withdrawal_method(db: &Db, request: ResolveWithdrawalMethod) -> Result<Destination, Error> {
    if let Some(Some(plain)) = resolve_plain_withdrawals(db, std::slice::from_ref(&request)).await?.pop() {
        return Ok(plain);
    }
    let mut conn = db.conn().await?;
    let named = named_method(&mut conn, &request.method, Some(request.user_id)).await?;
    let saved = match named.scope {
        Scope::Personal => Some(named.fields.clone()),
        Scope::Platform if request.address.trim().is_empty() => {
            saved_like(&mut conn, request.user_id, &named.fields).await?
        }
        Scope::Platform => None,
    };
    let Fields { currency, network, .. } = named.fields;
    let mut memo = request.memo.trim().to_owned();
    let mut address = request.address.trim().to_owned();
    if let (true, Some(saved)) = (address.is_empty(), saved) {
        address = saved.address;
        if memo.is_empty() {
            memo = saved.memo;
        }
    }
    let destination = Destination { method_id: named.id, currency, network, address, memo }.checked()?;
    if !destination.address.is_empty() && methods::is_platform_address(&mut conn, &destination.address).await? {
        return Err(Error::PlatformAddress);
    }
    Ok(destination)
}

impl Destination {
    /// With its address as it is read on its network, if it has one.
    fn checked(self) -> Result<Self, Error> {
        if !is_text(&self.memo, 0, 128) {
            return Err(Refusal::field("memo", "Memo must have at most 128 characters").into());
        }
        if self.address.is_empty() {
            return Ok(self);
        }
        let read = address::parse(&self.network, &self.address);
        let refuse = |reason: InvalidAddress| Refusal::field("address", reason.sentence());
        let address = read.map_err(refuse)?;
        if let Some(reason) = address::lost(&self.network, &address) {
            return Err(refuse(reason).into());
        }
        Ok(Self { address, ..self })
    }
}

/// The destinations of many withdrawals, in their order, where they are plain: the id of a platform method and an address
/// that was typed and is right. `None` where only [`resolve_withdrawal_method`] can tell.
pub async fn resolve_plain_withdrawals(
    db: &Db,
    requests: &[ResolveWithdrawalMethod],
) -> Result<Vec<Option<Destination>>, Error> {
    let typed: Vec<Option<(MethodId, String)>> = requests.iter().map(ResolveWithdrawalMethod::typed).collect();
    let (ids, addresses): (Vec<_>, Vec<_>) = typed.iter().flatten().cloned().unzip();
    if ids.is_empty() {
        return Ok(requests.iter().map(|_| None).collect());
    }
    let found = methods::platform_for(&mut *db.conn().await?, &ids, &addresses).await?;
    let mut found = found.into_iter();
    let plain = requests.iter().zip(typed).map(|(request, typed)| {
        let (method_id, address) = typed?;
        let (Method { fields: Fields { currency, network, .. }, .. }, is_ours) = found.next()??;
        if is_ours {
            return None;
        }
        let memo = request.memo.trim().to_owned();
        let typed = Destination { method_id, currency, network, address: address.clone(), memo };
        // One that was pasted with more around it may be ours.
        typed.checked().ok().filter(|read| read.address == address)
    });
    Ok(plain.collect())
}

impl ResolveWithdrawalMethod {
    /// The id and the address, if both were given in a form that the database can hold: what it cannot would be refused to all
    /// who ask with it.
    fn typed(&self) -> Option<(MethodId, String)> {
        let (id, address) = (self.method.trim().parse().ok()?, self.address.trim());
        let is_storable = !address.is_empty() && !address.chars().any(char::is_control);
        is_storable.then(|| (id, address.to_owned()))
    }
}

/// What the member saved for this network.
async fn saved_like(conn: &mut PgConnection, user_id: MemberId, named: &Fields) -> Result<Option<Fields>, Error> {
    let mut saved = methods::personal(conn, user_id).await?;
    saved.retain(|method| network::same(&method.fields.network, &named.network));
    let of_currency = saved.iter().position(|method| method.fields.currency == named.currency);
    Ok(saved.into_iter().nth(of_currency.unwrap_or_default()).map(|method| method.fields))
}
