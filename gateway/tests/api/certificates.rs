//! Certificates, to verify and to print.

use axum::http::Method;
use proto::course::v1::{Certificate, GetCertificateResponse};

use crate::fixture::{Fixture, moment};

/// [D-R18] [D-C8] [R10] [F11] The PDF is at the number with `.pdf` behind it, and has names of scripts that no standard font has.
#[tokio::test]
async fn a_certificate_is_printed_with_its_name() {
    let fixture = Fixture::new().await;
    let print = async |name: &str| {
        let certificate = Certificate {
            number: "1".to_owned(),
            course_title: "The course".to_owned(),
            issued_at: Some(moment()),
            holder_name: name.to_owned(),
        };
        let answer = GetCertificateResponse { certificate: Some(certificate), ..Default::default() };
        fixture.recorder.answer("/solvane.course.v1.CourseService/GetCertificate", &answer);
        let reply = fixture.call(Method::GET, "/v1/certificates/1.pdf", None, "").await;
        assert_eq!(reply.headers["content-type"], "application/pdf", "{name}");
        reply.text
    };
    assert!(print("Amara Lindqvist").await.contains("Amara Lindqvist"));
    for (name, font) in [
        ("王小明", "DroidSansFallback"),
        ("佐藤 さくら", "DroidSansFallback"),
        ("Łukasz 王", "DroidSansFallback"),
        ("अनिल कुमार", "NotoSansDevanagari"),
        ("สมชาย", "NotoSansThai"),
        ("김민준", "NanumSquare"),
    ] {
        let page = print(name).await;
        assert!(page.contains(font) && page.len() < 60_000, "{name}: {}", page.len());
        assert!(!page.contains("named at the address below"), "{name}");
    }
    assert!(print("ᠮᠣᠩᠭᠣᠯ").await.contains("the member named at the address below"));
}
