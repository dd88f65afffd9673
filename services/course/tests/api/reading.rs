//! Who may read what.

use chassis::identity::Role;
use sqlx::PgPool;

use crate::fixture::{Member, PREVIEW, SOLD, World, code};

fn locked(lessons: &[proto::course::v1::LessonOutline]) -> usize {
    lessons.iter().filter(|lesson| lesson.locked).count()
}

/// [D-C1] [CRS-02] Everybody reads the outline and the free preview; the rest comes with the purchase, as wallet says.
#[sqlx::test(migrations = false)]
async fn lessons_open_with_the_purchase(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    for reader in [None, Some(&member)] {
        let course = world.course(reader).await.unwrap();
        assert_eq!((course.modules.len(), course.purchased), (7, false));
        assert_eq!(locked(&world.lessons(reader).await), 6);
        let lesson = world.lesson(reader, PREVIEW).await.unwrap().lesson.unwrap();
        assert!(lesson.markdown.starts_with("A brand that hires a UGC creator"));
        assert_eq!((lesson.module_number, lesson.module_title.as_str(), lesson.minutes), (1, "UGC 101", 5));
    }
    assert_eq!(code(world.lesson(None, SOLD).await), "UNAUTHENTICATED");
    assert_eq!(code(world.lesson(Some(&member), SOLD).await), "PERMISSION_DENIED");
    assert_eq!(code(world.lesson(Some(&member), "nothing").await), "NOT_FOUND");
    world.wallet.sell(member.id);
    assert_eq!(locked(&world.lessons(Some(&member)).await), 0);
    assert!(world.lesson(Some(&member), SOLD).await.unwrap().lesson.unwrap().markdown.len() > 1_000);
    world.wallet.refund(member.id);
    assert_eq!(code(world.lesson(Some(&member), SOLD).await), "PERMISSION_DENIED");
}

/// [D-C1] Staff and members without a confirmed email see what visitors see.
#[sqlx::test(migrations = false)]
async fn only_members_read_what_is_sold(pool: PgPool) {
    let world = World::new(pool).await;
    let mut unverified = chassis::testing::session(None);
    unverified.verified = false;
    world.wallet.sell(unverified.user_id.get());
    let (id, token) = (unverified.user_id, world.realm.sign_in(unverified));
    let unverified = Member { id: id.get(), token };
    let (id, token) = world.realm.staff(Role::Manager);
    world.wallet.sell(id.get());
    let staff = Member { id: id.get(), token };
    for (reader, expected) in [(&unverified, "EMAIL_NOT_VERIFIED"), (&staff, "PERMISSION_DENIED")] {
        assert_eq!(locked(&world.lessons(Some(reader)).await), 6);
        assert!(world.lesson(Some(reader), PREVIEW).await.is_ok());
        assert_eq!(code(world.lesson(Some(reader), SOLD).await), expected);
    }
}

/// [D-C4] Without an answer from wallet nothing that is sold is shown; what is free needs none.
#[sqlx::test(migrations = false)]
async fn without_wallet_only_what_is_free_is_shown(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    world.wallet.set_away(true);
    assert_eq!(code(world.lesson(Some(&buyer), SOLD).await), "UNAVAILABLE");
    assert_eq!(code(world.course(Some(&buyer)).await), "UNAVAILABLE");
    assert!(world.course(None).await.is_ok());
    assert!(world.lesson(Some(&buyer), PREVIEW).await.is_ok());
    world.wallet.set_away(false);
    assert!(world.lesson(Some(&buyer), SOLD).await.is_ok());
}
