//! Finds the options that a typed line names. Options are given by their place in the question.

use std::collections::BTreeSet;

use crate::question::{Question, fold};

/// Between answers that stand in one line.
const COMMAS: [char; 3] = [',', '，', '、'];

/// How many readings of one line are followed at a time; two are already too many.
const READINGS_MAX: usize = 8;

/// The option whose value or label this is, letter case and spaces folded.
pub(super) fn named(question: &Question, typed: &str) -> Option<usize> {
    let name = fold(typed);
    question.options.iter().position(|option| option.names().contains(&name))
}

/// The option drawn with this number: `2`, `02`, `2.`, in ASCII or full-width digits.
pub(super) fn index(question: &Question, typed: &str) -> Option<usize> {
    let digits = typed.strip_suffix(['.', '．']).unwrap_or(typed);
    let mut number = 0_u32;
    for character in digits.chars() {
        let digit = match character {
            '０'..='９' => u32::from(character) - u32::from('０'),
            _ => character.to_digit(10)?,
        };
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    (index < question.options.len()).then_some(index)
}

/// Every way to read a line as several options: by their names, else by a list of indexes.
pub(super) fn readings(question: &Question, typed: &str) -> BTreeSet<Vec<usize>> {
    let readings = by_names(question, typed);
    if readings.is_empty() { by_indexes(question, typed) } else { readings }
}

/// Every way to read a line as values and labels with commas between; they may hold commas themselves.
fn by_names(question: &Question, typed: &str) -> BTreeSet<Vec<usize>> {
    let pieces = |text: &str| text.split(COMMAS).map(fold).collect::<Vec<_>>();
    let line = pieces(typed);
    let names: Vec<(usize, Vec<String>)> = question
        .options
        .iter()
        .enumerate()
        .flat_map(|(index, option)| option.names().map(|name| (index, pieces(&name))))
        .collect();
    // From the end: the readings of everything from a piece on are the names that start there, before what follows them.
    let mut readings = vec![BTreeSet::new(); line.len()];
    readings.push(BTreeSet::from([Vec::new()]));
    for start in (0..line.len()).rev() {
        let mut here = BTreeSet::new();
        for (option, name) in &names {
            if line[start..].starts_with(name) {
                for rest in readings[start + name.len()].iter().take(READINGS_MAX) {
                    let options: BTreeSet<usize> = rest.iter().copied().chain([*option]).collect();
                    here.insert(options.into_iter().collect());
                }
            }
        }
        readings[start] = here;
    }
    readings.swap_remove(0)
}

/// A list of indexes with commas or spaces between. One that is also a label is told apart by no rule.
fn by_indexes(question: &Question, typed: &str) -> BTreeSet<Vec<usize>> {
    let listed = |read: &dyn Fn(&str) -> Option<usize>| -> Option<Vec<usize>> {
        let tokens = typed.split(|c: char| COMMAS.contains(&c) || c.is_whitespace()).filter(|token| !token.is_empty());
        let options: BTreeSet<usize> = tokens.map(read).collect::<Option<_>>()?;
        Some(options.into_iter().collect())
    };
    let Some(indexes) = listed(&|token| index(question, token)).filter(|options| !options.is_empty()) else {
        return BTreeSet::new();
    };
    let labels_first = listed(&|token| named(question, token).or_else(|| index(question, token)));
    labels_first.into_iter().chain([indexes]).collect()
}
