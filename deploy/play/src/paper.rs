//! Proofs of payment that look like what members upload: the confirmation of a wallet as a PDF.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The proof of a payment as a data URL. With a reference of its own, it is a file of its own.
#[must_use]
pub fn proof(dollars: &str, network: &str, reference: &str) -> String {
    let text = |font: &str, size: u32, (x, y): (u32, u32), text: &str| {
        format!("BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n")
    };
    let mut page = "0.09 0.12 0.22 rg 0 470 360 90 re f 1 g\n".to_owned();
    page += &text("B", 18, (28, 520), "Payment sent");
    page += &text("P", 11, (28, 496), "Completed");
    page += "0.1 g\n";
    page += &text("B", 30, (28, 410), &format!("${dollars}"));
    for (y, label, value) in [(350, "Network", network), (306, "Fee", "Paid by sender"), (262, "Reference", reference)]
    {
        page += &format!("0.85 G 28 {} m 332 {} l S 0.45 g\n", y + 28, y + 28);
        page += &text("P", 10, (28, y + 8), label);
        page += "0.1 g\n";
        page += &text("P", 10, (110, y + 8), value);
    }
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 360 560] /Contents 6 0 R /Resources << /Font << /P 4 0 R /B 5 0 R >> >> >>"
            .to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{page}endstream", page.len()),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!("xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    format!("data:application/pdf;base64,{}", STANDARD.encode(file))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::proof;

    /// [D-X3] [U23] A proof of the demo says what was paid, and no two are one file.
    #[test]
    fn a_proof_says_what_was_paid() {
        let url = proof("250.00", "TRC20", "a1");
        let file = STANDARD.decode(url.strip_prefix("data:application/pdf;base64,").unwrap()).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert!(text.starts_with("%PDF-") && text.contains("($250.00)") && text.contains("(TRC20)"), "{text}");
        let table: usize = text.lines().rev().nth(1).unwrap().parse().unwrap();
        assert!(text[table..].starts_with("xref"));
        assert_ne!(proof("250.00", "TRC20", "a2"), url);
    }
}
