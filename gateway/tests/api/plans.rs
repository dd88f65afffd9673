//! The plans, which are the same for everybody.

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::fixture::Fixture;

async fn title(fixture: &Fixture) -> String {
    let reply = fixture.call(Method::GET, "/v1/plans", None, "").await;
    reply.json()["plans"][0]["title"].as_str().unwrap().to_owned()
}

/// [API-12] Without the broker nobody says when a plan changes: every look is a new one.
#[tokio::test]
async fn plans_are_not_kept_while_changes_are_not_heard_of() {
    let fixture = Fixture::new().await;
    assert_eq!(title(&fixture).await, "Look 1");
    assert_eq!(title(&fixture).await, "Look 2");
    fixture.plans.set_connected(true);
    assert_eq!(title(&fixture).await, "Look 3");
    fixture.plans.set_connected(false);
    assert_eq!(title(&fixture).await, "Look 4");
    assert_eq!(title(&fixture).await, "Look 5");
}

/// [API-12] With it, they are looked up once until one changes.
#[tokio::test]
async fn plans_are_kept_until_one_changes() {
    let fixture = Fixture::new().await;
    fixture.plans.set_connected(true);
    for _ in 0..3 {
        assert_eq!(title(&fixture).await, "Look 1");
    }
    fixture.plans.invalidate();
    for _ in 0..3 {
        assert_eq!(title(&fixture).await, "Look 2");
    }
}

/// [API-12] What was looked up before a change is not kept, however late its answer comes.
#[tokio::test]
async fn a_look_from_before_a_change_is_not_kept() {
    let fixture = Fixture::new().await;
    fixture.plans.set_connected(true);
    let closed = fixture.trade.gate.lock().await;
    let change = async {
        while fixture.trade.looks.load(std::sync::atomic::Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        fixture.plans.invalidate();
        drop(closed);
    };
    let (early, ()) = tokio::join!(title(&fixture), change);
    assert_eq!(early, "Look 1");
    assert_eq!(title(&fixture).await, "Look 2");
    assert_eq!(title(&fixture).await, "Look 2");
}

/// [D-I5] [D-G3] A page of plans draws its charts from one request.
#[tokio::test]
async fn the_courses_of_plans_are_one_request() {
    let fixture = Fixture::new().await;
    let reply = fixture.call(Method::GET, "/v1/plans/values?ids=a,b&points=1", None, "").await;
    let course = |id| json!({ "id": id, "values": [{ "value": 1.05, "at": "2026-02-02T02:40:00.005Z" }] });
    assert_eq!((reply.status, &reply.json()["plans"]), (StatusCode::OK, &json!([course("a"), course("b")])));
    for query in ["", "?ids=", "?ids=a&points=0", "?ids=a&points=-1", "?ids=a&points=x", "?ids=a&points=99999999999"] {
        let reply = fixture.call(Method::GET, &format!("/v1/plans/values{query}"), None, "").await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
}

/// [D-T3] A plan's page has its disclosure and its past; it is looked up once until a plan changes.
#[tokio::test]
async fn the_page_of_a_plan_is_kept_until_one_changes() {
    let fixture = Fixture::new().await;
    fixture.plans.set_connected(true);
    let page = async |id: &str| fixture.call(Method::GET, &format!("/v1/plans/{id}"), None, "").await;
    let reply = page("a").await.json();
    let plan = &reply["plan"];
    assert_eq!((&plan["id"], &plan["title"]), (&json!("a"), &json!("Look 1")));
    assert_eq!(
        (&plan["manager"], &plan["holdings"], &plan["documentUrl"]),
        (&json!("Harbour"), &json!(null), &json!(null))
    );
    assert_eq!(
        (&plan["costPercent"], &plan["riskClass"], &plan["exitFeePercent"]),
        (&json!(0.45), &json!(2), &json!(0.5))
    );
    assert_eq!(
        reply["facts"],
        json!({
            "firstValue": 1, "firstValueAt": "2026-02-02T02:40:00.005Z", "over30Days": { "worstPercent": -1.25, "bestPercent": 3.1 },
            "over90Days": null, "endedTrades": 12, "endedAtLoss": 3,
        })
    );
    assert_eq!(page("a").await.json()["plan"]["title"], "Look 1");
    assert_eq!(page("b").await.json()["plan"]["title"], "Look 2");
    fixture.plans.invalidate();
    assert_eq!(page("a").await.json()["plan"]["title"], "Look 3");
    let unknown = page("none").await;
    assert_eq!((unknown.status, &unknown.json()["message"]), (StatusCode::NOT_FOUND, &json!("Plan not found")));
    assert_eq!(page("none").await.status, StatusCode::NOT_FOUND);
    fixture.plans.set_connected(false);
    assert_eq!(page("a").await.json()["plan"]["title"], "Look 6");
    assert_eq!(page("a").await.json()["plan"]["title"], "Look 7");
}

/// [D-T3] The risk page is read and answered by a member who is signed in; a body without a version is refused at its field.
#[tokio::test]
async fn the_risk_page_is_answered_by_a_member() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let path = "/v1/trades/risk-answer";
    assert_eq!(fixture.call(Method::GET, path, None, "").await.status, StatusCode::UNAUTHORIZED);
    let reply = fixture.call(Method::GET, path, Some(&token), "").await;
    assert_eq!((&reply.json()["version"], &reply.json()["answeredAt"]), (&json!(1), &json!(null)));
    for body in ["{}", r#"{"version":"x"}"#, r#"{"version":1.5}"#] {
        let reply = fixture.call(Method::PUT, path, Some(&token), body).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"]["version"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("Enter a whole number"))
        );
    }
    let reply = fixture.call(Method::PUT, path, Some(&token), r#"{"version":1}"#).await;
    assert_eq!((reply.status, &reply.json()["answeredAt"]), (StatusCode::OK, &json!("2026-02-02T02:40:00.005Z")));
}
