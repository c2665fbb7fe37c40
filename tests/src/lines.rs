//! Differences of texts, line by line: the longest common subsequence, by dynamic programming.

#[cfg(test)]
mod tests;

use std::fmt::Write;

/// A run of lines that both texts have, or one in place of another.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// In both.
    Same(Vec<&'a str>),
    /// In the old text and in the new one; one of them may be empty.
    Changed(Vec<&'a str>, Vec<&'a str>),
}

/// How one gets from one text to the other. `Same` and `Changed` take turns, and none is empty.
pub fn pieces<'a>(old: &'a str, new: &'a str) -> Vec<Piece<'a>> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let common = common(&old, &new);
    let mut pieces = vec![];
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let (from_i, from_j) = (i, j);
        while i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        }
        if i > from_i {
            pieces.push(Piece::Same(old[from_i..i].to_vec()));
        }
        let (from_i, from_j) = (i, from_j + (i - from_i));
        while i < old.len() || j < new.len() {
            match (old.get(i), new.get(j)) {
                (Some(x), Some(y)) if x == y => break,
                (Some(_), _) if common[i + 1][j] == common[i][j] => i += 1,
                (_, Some(_)) => j += 1,
                (_, None) => i += 1,
            }
        }
        if i > from_i || j > from_j {
            let (removed, added) = (&old[from_i..i], &new[from_j..j]);
            pieces.push(Piece::Changed(removed.to_vec(), added.to_vec()));
        }
    }
    pieces
}

/// How many lines the longest common subsequence of `old[i..]` and `new[j..]` has, at `[i][j]`.
fn common(old: &[&str], new: &[&str]) -> Vec<Vec<u32>> {
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    common
}

/// All that is needed to make the new text of the old one: `= 12` for lines that stay, `-` and `+` before others. Positions
/// are relative, so that a line more in both texts changes one number.
pub fn script(old: &str, new: &str) -> String {
    let mut text = String::new();
    for piece in pieces(old, new) {
        match piece {
            Piece::Same(lines) => writeln!(text, "= {}", lines.len()).unwrap(),
            Piece::Changed(removed, added) => write_changed(&mut text, &removed, &added),
        }
    }
    text
}

/// The lines that differ, with some around them, for people.
pub fn report(old: &str, new: &str) -> String {
    const AROUND: usize = 3;
    let pieces = pieces(old, new);
    let mut text = String::new();
    for (n, piece) in pieces.iter().enumerate() {
        let before = if n == 0 { 0 } else { AROUND };
        let after = if n + 1 == pieces.len() { 0 } else { AROUND };
        match piece {
            Piece::Same(lines) if lines.len() <= before + after => write_same(&mut text, lines),
            Piece::Same(lines) => {
                let (far, after) = lines.split_at(lines.len() - after);
                let (before, far) = far.split_at(before);
                write_same(&mut text, before);
                writeln!(text, "... {} lines", far.len()).unwrap();
                write_same(&mut text, after);
            }
            Piece::Changed(removed, added) => write_changed(&mut text, removed, added),
        }
    }
    text
}

fn write_same(text: &mut String, lines: &[&str]) {
    lines
        .iter()
        .for_each(|line| writeln!(text, " {line}").unwrap());
}

fn write_changed(text: &mut String, removed: &[&str], added: &[&str]) {
    let signed = |sign, lines: &[&str], text: &mut String| {
        lines
            .iter()
            .for_each(|line| writeln!(text, "{sign}{line}").unwrap());
    };
    signed('-', removed, text);
    signed('+', added, text);
}
