//! The end of an account, and of what is in it.

use proto::auth::v1::{CheckClosingRequest, CloseAccountRequest, KeepAccountRequest};
use proto::wallet::v1::{GetWalletRequest, RequestWithdrawalRequest};
use route_macros::{delete, post, request, response};

use crate::extract::{ActiveMember, SignedIn};
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::json::{Answer, Done, Field, Form, Json, done, ok};
use crate::peers::clients::{ask, send};
use crate::routes::money::transactions::TransactionSummary;

/// The password, where it is needed, and what becomes of what is left.
#[request]
pub struct CloseRequest {
    /// Required unless the account has a second factor, which then has to be given within the last minutes.
    #[schema(example = "the password in force")]
    password: Field<Option<String>>,
    /// Whether a bonus that was not released is given up. It stays in the way otherwise.
    give_up_bonus: Field<Option<bool>>,
    /// Where the whole balance is paid. Without it a balance stays in the way.
    payout: Field<Option<LastPayout>>,
}

/// Where the whole balance is paid, as by a withdrawal of it.
#[request]
pub struct LastPayout {
    /// Id of a platform method, or a currency code.
    #[schema(example = "BTC")]
    method: Field<String>,
    /// The address to pay to.
    address: Field<String>,
    /// Memo or destination tag, on networks that use one.
    memo: Field<Option<String>>,
}

/// When the account closes.
#[response]
pub struct ClosingReply {
    message: String,
    #[nullable]
    closes_at: Option<String>,
    /// The withdrawal of the balance that this call requested.
    payout: Option<TransactionSummary>,
}

/// Close the account
///
/// It closes for good in 24 hours, and its sessions end. Until then it works as before, and the closing can be called off: by
/// `DELETE`, by a new password, or by the link "This was not me" of the mail about it. A repetition changes nothing. 409
/// `ACCOUNT_IN_USE` while it has a balance or something open: `matters` lists what, of `BALANCE`, `BONUS`, `WITHDRAWAL`,
/// `PAYMENT`, `TRADE`, `ON_HOLD`, `OWED` and `REVIEW`. What is opened later keeps the account, too. While nothing but a withdrawal
/// is open, the closing waits for its payout.
///
/// With `payout`, the whole balance is withdrawn to that address, if there is one, with the refusals of
/// `POST /transactions/withdraw`, and then the account is closed. A withdrawal that was requested stays when the second step
/// does not succeed; a repetition continues there.
#[post("/users/close", "Profile")]
pub async fn close(caller: ActiveMember, Json { value, .. }: Json<CloseRequest>) -> Answer<ClosingReply> {
    let mut form = Form::new();
    let password = form.text("password", &value.password);
    let give_up_bonus = form.flag("giveUpBonus", &value.give_up_bonus, false);
    let last = form.part("payout", &value.payout).map(|last| withdrawal(&mut form, &last));
    form.finish()?;
    let payout = match last {
        Some(last) => {
            let check = CheckClosingRequest { password: password.clone(), give_up_bonus };
            send!(caller.auth.check_closing(check))?;
            pay_out(&caller, last).await?
        }
        None => None,
    };
    let answer = send!(caller.auth.close_account(CloseAccountRequest { password, give_up_bonus }))?;
    caller.app.profiles.invalidate(caller.session.user_id);
    let message = "Your account closes in 24 hours. Until then you can keep it.".to_owned();
    Ok(ok(ClosingReply { message, closes_at: from_proto(answer.closes_at)?, payout }))
}

/// A withdrawal of an amount that is not known yet.
fn withdrawal(form: &mut Form, last: &LastPayout) -> RequestWithdrawalRequest {
    let address = form.text("address", &last.address);
    // Without an address a withdrawal would wait for one.
    if address.is_empty() {
        form.wrong("address", "Enter a wallet address");
    }
    RequestWithdrawalRequest {
        method: form.text("method", &last.method),
        address,
        memo: form.text("memo", &last.memo),
        ..RequestWithdrawalRequest::default()
    }
}

/// Withdraws the whole balance, if there is one: a repetition finds none.
async fn pay_out(
    caller: &ActiveMember,
    last: RequestWithdrawalRequest,
) -> Result<Option<TransactionSummary>, ApiError> {
    let wallet = ask!(caller.wallet.get_wallet(GetWalletRequest {}))?.wallet.unwrap_or_default();
    if wallet.available_cents == 0 {
        return Ok(None);
    }
    let message = RequestWithdrawalRequest { amount_cents: wallet.available_cents, ..last };
    let answer = send!(caller.wallet.request_withdrawal(message))?;
    from_proto(answer.transaction)
}

/// Keep the account
///
/// Calls its closing off. 404 if there is none, or if it has begun.
#[delete("/users/close", "Profile")]
pub async fn keep(caller: SignedIn) -> Answer<Done> {
    send!(caller.auth.keep_account(KeepAccountRequest {}))?;
    caller.app.profiles.invalidate(caller.session.user_id);
    done("Your account stays open.")
}
