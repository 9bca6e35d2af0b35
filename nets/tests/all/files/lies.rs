//! Headers and metadata that do not fit the bytes, each with its sentence.

use super::*;

#[test]
fn headers_that_lie_are_refused_with_what_was_expected_and_found() {
    let header = |tensors: &str| format!("{{{META},{tensors}}}");
    let good = header(r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#);
    assert_eq!(
        Weights::from_bytes(&file(&good, 8)).unwrap().tensors["a"].data,
        [0.0, 0.0]
    );
    let cases = [
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            12,
            " bytes expected, ",
        ),
        (
            r#""a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}"#,
            8,
            r#"tensor 'a': type F32, F16 or BF16 expected, "F64" found"#,
        ),
        (
            r#""a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}"#,
            8,
            r#"tensor 'a': type F32, F16 or BF16 expected, "I64" found"#,
        ),
        (
            r#""a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': 12 bytes expected for F32 [3], data_offsets 0 to 8 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': more than 2^64 bytes expected for F32 [4294967296, 4294967296], data_offsets 0 to 8 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,18446744073709551615]}"#,
            8,
            "more than 2^64",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1073741824],"data_offsets":[0,4294967296]}"#,
            8,
            "tensor 'a': it ends at byte 4294967296 of the data, which has 8: the file is cut off",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}"#,
            8,
            "data_offsets 8 to 0 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}"#,
            8,
            "tensor 'a': its data should begin at 0 and begins at 4",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}"#,
            8,
            "tensor 'b': its data should begin at 8 and begins at 4",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a' stands there twice",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}"#,
            8,
            "duplicate field `shape`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1}"#,
            8,
            "unknown field `more`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}"#,
            8,
            "invalid value: integer `-2`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}"#,
            8,
            "invalid type: floating point `2.5`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': at most 8 dimensions expected, 9 found",
        ),
        (
            r#""a b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "letters, digits, '.', '_' and '-' expected, \"a b\" found",
        ),
        (
            r#""":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "a name of 1 to 128 letters",
        ),
        (
            &format!(
                r#""a":{{"dtype":"{}","shape":[2],"data_offsets":[0,8]}}"#,
                "F".repeat(9999)
            ),
            8,
            "tensor 'a': type F32, F16 or BF16 expected, \"FFFF",
        ),
        (r#""a":null"#, 0, "invalid type: null"),
        (r#""a":[]"#, 0, "header is wrong"),
        (META, 0, "__metadata__ stands there twice"),
    ];
    for (tensors, data, sentence) in cases {
        let found = refused(&file(&header(tensors), data));
        assert!(found.contains(sentence), "{tensors}\n{found}");
        assert!(!found.contains('\n') && found.len() < 400, "{found}");
    }
    let deep = "[".repeat(100_000);
    let others = [
        ("", "EOF while parsing"),
        ("{", "EOF while parsing"),
        ("[]", "an object of tensors"),
        ("\"x\"", "an object of tensors"),
        ("{}", "metadata 'treeline': expected, and not there"),
        (
            r#"{"__metadata__":{}}"#,
            "metadata 'treeline': expected, and not there",
        ),
        (
            r#"{"__metadata__":{"treeline":"2"}}"#,
            r#"metadata 'treeline': format version 1 expected, "2" found"#,
        ),
        (
            r#"{"__metadata__":{"treeline":1}}"#,
            "invalid type: integer `1`, expected a string",
        ),
        (r#"{"__metadata__":"x"}"#, "an object of strings"),
        (
            r#"{"__metadata__":{"game":"x","game":"y"}}"#,
            r#""game" stands in the metadata twice"#,
        ),
        (&deep, "header is wrong"),
        ("{} x", "trailing characters"),
    ];
    for (header, sentence) in others {
        let found = refused(&file(header, 0));
        assert!(found.contains(sentence), "{header:.100}\n{found}");
    }
    let mut bytes = file(&good, 8);
    bytes[8..].fill(0xff);
    assert!(refused(&bytes).contains("header is wrong"));
    for length in [0, 1, 7] {
        assert_eq!(
            refused(&vec![0; length]),
            format!("not a readable safetensors file: at least 8 bytes expected, {length} found")
        );
    }
    for length in [1 << 20 | 1, u64::MAX, 1 << 63, 100_000_000] {
        let found = refused(&length.to_le_bytes());
        assert!(
            found.ends_with(&format!(
                "a header of at most 1048576 bytes expected, {length} found"
            )),
            "{found}"
        );
    }
    assert!(
        refused(&1_000_000u64.to_le_bytes())
            .ends_with("a header of 1000000 bytes expected, 0 found")
    );
}

#[test]
fn metadata_that_makes_no_sense_is_refused_by_its_key() {
    let with = |key: &str, value: &str| {
        let mut weights = small();
        weights
            .meta
            .set(key, value)
            .map(|()| weights.meta)
            .map_err(|e| e.to_string())
    };
    let long = "x".repeat(4097);
    let cases = [
        (
            "encoding",
            "one",
            r#"metadata 'encoding': a whole number expected, "one" found"#,
        ),
        (
            "encoding",
            "-1",
            r#"metadata 'encoding': a whole number expected, "-1" found"#,
        ),
        (
            "policy",
            "9999999999999999999999",
            r#"metadata 'policy': a whole number expected, "9999999999999999999999" found"#,
        ),
        (
            "scale",
            "nan",
            "metadata 'scale': a finite number above 0 expected, NaN found",
        ),
        (
            "scale",
            "inf",
            "metadata 'scale': a finite number above 0 expected, inf found",
        ),
        (
            "scale",
            "0",
            "metadata 'scale': a finite number above 0 expected, 0 found",
        ),
        (
            "scale",
            "-1",
            "metadata 'scale': a finite number above 0 expected, -1 found",
        ),
        (
            "scale",
            "",
            r#"metadata 'scale': a number expected, "" found"#,
        ),
        (
            "view",
            "white",
            r#"metadata 'view': player-one or mover expected, "white" found"#,
        ),
        ("input", "2x8", r#"such as 128, expected, "2x8" found"#),
        ("input", "0x8x8", r#"expected, "0x8x8" found"#),
        ("input", "2x8x70000", r#"expected, "2x8x70000" found"#),
        ("input", "", r#"expected, "" found"#),
        (
            "game",
            "a\nb",
            r"metadata 'game': one line of text expected, '\n' found in it",
        ),
        (
            "origin",
            "\u{1b}[2J",
            r"metadata 'origin': one line of text expected, '\u{1b}' found in it",
        ),
        (
            "origin",
            &long,
            "metadata 'origin': at most 4096 bytes expected, 4097 found",
        ),
        (
            "colour",
            "red",
            "metadata 'colour': one of architecture, encoding, game, input, origin, policy, scale, variant, view expected",
        ),
        ("treeline", "1", "metadata 'treeline': one of architecture"),
    ];
    for (key, value, sentence) in cases {
        let found = with(key, value).unwrap_err();
        assert!(found.contains(sentence), "{key}={value}: {found}");
    }
    assert_eq!(
        with("input", "9x11x13").unwrap().shape,
        Shape::planes(9, 11, 13, 0)
    );
    assert_eq!(with("scale", "1e-3").unwrap().scale, 0.001);
}
