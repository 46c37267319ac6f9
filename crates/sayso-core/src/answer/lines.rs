//! Finds the options that a typed line names. Options are given by their place in the question.

use std::collections::BTreeSet;

use crate::question::{Question, fold};

/// Between answers that stand in one line.
const COMMAS: [char; 4] = [',', '，', '、', '،'];

/// After an index, as drawn.
const POINTS: [char; 2] = ['.', '．'];

/// How many readings of one line are followed at a time; two are already too many.
const READINGS_MAX: usize = 8;

/// The option whose value or label this is, letter case and spaces folded.
pub(super) fn named(question: &Question, typed: &str) -> Option<usize> {
    let name = fold(typed);
    question.options.iter().position(|option| option.names().contains(&name))
}

/// The option drawn with this number: `2`, `02`, `2.`, in ASCII or full-width digits.
pub(super) fn index(question: &Question, typed: &str) -> Option<usize> {
    let digits = typed.strip_suffix(POINTS).unwrap_or(typed);
    let mut number = 0_u32;
    for character in digits.chars() {
        number = number.checked_mul(10)?.checked_add(digit(character)?)?;
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
        let options: BTreeSet<usize> = tokens(typed).map(read).collect::<Option<_>>()?;
        Some(options.into_iter().collect())
    };
    let Some(indexes) = listed(&|token| index(question, token)).filter(|options| !options.is_empty()) else {
        return BTreeSet::new();
    };
    let labels_first = listed(&|token| named(question, token).or_else(|| index(question, token)));
    labels_first.into_iter().chain([indexes]).collect()
}

/// The number that is not drawn, in a list of numbers of which another is: `9` in `1, 9`. Taken as words, such a slip
/// would tell an asker who never saw the numbers nothing.
pub(super) fn beyond<'a>(question: &Question, typed: &'a str) -> Option<&'a str> {
    let number = |token: &str| token.trim_end_matches(POINTS).chars().all(|c| digit(c).is_some());
    let (drawn, others): (Vec<_>, Vec<_>) = tokens(typed).partition(|token| index(question, token).is_some());
    let slip = !drawn.is_empty() && others.iter().all(|token| number(token));
    others.first().copied().filter(|_| slip)
}

/// What stands between commas and spaces.
fn tokens(typed: &str) -> impl Iterator<Item = &str> {
    typed.split(|c: char| COMMAS.contains(&c) || c.is_whitespace()).filter(|token| !token.is_empty())
}

fn digit(character: char) -> Option<u32> {
    match character {
        '０'..='９' => Some(u32::from(character) - u32::from('０')),
        _ => character.to_digit(10),
    }
}
