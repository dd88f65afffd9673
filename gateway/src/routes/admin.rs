//! The back office. The gateway requires a staff session; the services decide what the role may do.

pub mod me;

pub mod figures;

pub mod search;

pub mod transactions;

pub mod verdicts;

pub mod payments;

pub mod payouts;

pub mod dissolve_payouts;

pub mod members;

pub mod activity;

pub mod announcements;

pub mod proposals;

pub mod payment_methods;

pub mod rates;

pub mod plans;

pub mod course;

pub mod media;

pub mod cases;

pub mod staff;

pub mod books;

pub mod holdings;

pub mod treasury;

pub mod journal;

pub mod audit;

pub mod csv_file;

pub mod dead_letters;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::middleware::class::{Class, Classes};

/// The routes below `/v1/admin`.
pub fn routes(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new().merge(decisions(classes)).merge(platform(classes))
}

/// Transactions, members, and what takes two people.
fn decisions(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        // Themselves.
        .routes(routes!(me::get))
        .routes(routes!(me::begin_totp))
        .routes(routes!(me::confirm_totp))
        .routes(routes!(me::step_up))
        // What waits, and decisions.
        .routes(routes!(search::search))
        .routes(routes!(transactions::queue::queue))
        .routes(routes!(transactions::waiting::list))
        .routes(routes!(verdicts::list))
        .routes(routes!(transactions::list::list))
        .routes(routes!(transactions::review::get))
        .routes(routes!(transactions::review::viewing))
        .routes(routes!(verdicts::claim, verdicts::release))
        .routes(routes!(transactions::decisions::approve))
        .routes(routes!(transactions::decisions::reject))
        .routes(routes!(transactions::payouts::paying))
        .routes(routes!(transactions::payouts::paid))
        .routes(routes!(transactions::decisions::reverse))
        .routes(routes!(transactions::payouts::correct_payout))
        .routes(routes!(payouts::prepare))
        .routes(classes.declare(Class::Upload, routes!(payouts::send)))
        .routes(routes!(dissolve_payouts::dissolve))
        .routes(routes!(payments::unclaimed))
        // Members.
        .routes(routes!(members::list))
        .routes(routes!(members::get))
        .routes(routes!(members::freeze))
        .routes(routes!(members::unfreeze))
        .routes(routes!(members::add_note))
        .routes(routes!(activity::list))
        .routes(routes!(activity::end_sessions))
        .routes(routes!(members::reset_factors))
        .routes(routes!(members::bonus))
        .routes(routes!(members::release))
        .routes(routes!(members::adjustment))
        .routes(routes!(members::refund_course))
        .routes(routes!(members::place_hold))
        .routes(routes!(members::release_hold))
        // Two people.
        .routes(routes!(proposals::list))
        .routes(routes!(proposals::confirm))
        .routes(routes!(proposals::reject))
}

/// What the platform offers and keeps.
fn platform(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        // Platform methods, rates, plans, values.
        .routes(routes!(payment_methods::list))
        .routes(classes.declare(Class::Upload, routes!(payment_methods::create)))
        .routes(classes.declare(Class::Upload, routes!(payment_methods::update)))
        .routes(routes!(payment_methods::delete))
        .routes(routes!(payment_methods::sign))
        .routes(routes!(payment_methods::prove))
        .routes(routes!(rates::propose))
        .routes(routes!(announcements::propose))
        .routes(routes!(announcements::end))
        .routes(routes!(plans::list, plans::create))
        .routes(routes!(plans::update))
        .routes(routes!(plans::add_value))
        // The course.
        .routes(routes!(course::get))
        .routes(classes.declare(Class::Upload, routes!(course::save)))
        .routes(routes!(course::publish))
        .routes(routes!(course::version))
        .routes(routes!(course::restore))
        .routes(routes!(media::list, media::create))
        .routes(routes!(media::get, media::offset, media::remove))
        .routes(classes.declare(Class::LongUpload, routes!(media::append)))
        .routes(classes.declare(Class::Upload, routes!(media::put_captions)))
        .routes(routes!(media::remove_captions))
        // Cases of members.
        .routes(routes!(cases::list))
        .routes(routes!(cases::get))
        .routes(routes!(cases::colleagues))
        .routes(routes!(cases::claim, cases::release))
        .routes(routes!(cases::assign))
        .routes(routes!(cases::answer))
        .routes(routes!(cases::close))
        .routes(routes!(cases::complaint))
        // Staff, the trail, the books.
        .routes(routes!(staff::list, staff::invite))
        .routes(routes!(staff::disable))
        .routes(routes!(staff::change_role))
        .routes(routes!(journal::journal))
        .routes(routes!(audit::audit))
        .routes(routes!(books::integrity))
        .routes(routes!(holdings::holdings))
        .routes(routes!(treasury::get))
        .routes(classes.declare(Class::Upload, routes!(treasury::propose)))
        .routes(routes!(figures::get))
        .routes(routes!(books::reopen))
        .routes(routes!(books::rebuild))
        .routes(routes!(dead_letters::list))
        .routes(routes!(dead_letters::replay))
}
