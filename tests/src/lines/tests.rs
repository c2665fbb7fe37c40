//! Differences of small texts, and whether they lead from one text to the other.

use super::{Piece, pieces, report, script};
use quickcheck::quickcheck;

/// Texts of few different lines, so that they have some in common.
fn text(numbers: &[u8]) -> String {
    numbers.iter().map(|n| format!("{}\n", n % 4)).collect()
}

#[test]
fn a_script_names_what_stays_by_its_length() {
    assert_eq!(script("a\nb\nc\n", "a\nx\nc\n"), "= 1\n-b\n+x\n= 1\n");
    assert_eq!(script("a\nb\n", "a\nb\n"), "= 2\n");
    assert_eq!(script("", "a\n"), "+a\n");
}

#[test]
fn a_report_leaves_out_what_is_far_from_changes() {
    let old: String = (0..20).map(|n| format!("{n}\n")).collect();
    let new = old.replace("10\n", "");
    let found = report(&old, &new);
    let expected = "... 7 lines\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n... 6 lines\n";
    assert_eq!(found, expected);
}

quickcheck! {
    fn the_pieces_make_both_texts(old: Vec<u8>, new: Vec<u8>) -> bool {
        let (old, new) = (text(&old), text(&new));
        let (mut from, mut to) = (vec![], vec![]);
        for piece in pieces(&old, &new) {
            match piece {
                Piece::Same(lines) => {
                    from.extend(lines.clone());
                    to.extend(lines);
                }
                Piece::Changed(removed, added) => {
                    from.extend(removed);
                    to.extend(added);
                }
            }
        }
        from.iter().copied().eq(old.lines()) && to.iter().copied().eq(new.lines())
    }

    fn pieces_take_turns(old: Vec<u8>, new: Vec<u8>) -> bool {
        let (old, new) = (text(&old), text(&new));
        let pieces = pieces(&old, &new);
        let is_same = |piece: &Piece| matches!(piece, Piece::Same(_));
        pieces.windows(2).all(|pair| is_same(&pair[0]) != is_same(&pair[1]))
    }
}
