//! What could be better about a question that breaks no rule. It is asked all the same; the remarks go to the program's
//! own log, for whoever tunes a model or its prompt.

use super::Question;
use crate::protocol::QuestionKind;

/// Words that begin a second question after *and*, in English, the language of the tools' descriptions.
const QUESTION_WORDS: &[&str] = &[
    "what", "which", "who", "whose", "where", "when", "why", "how", "should", "shall", "do", "does", "is", "are",
    "may", "can", "will", "would",
];

/// Remarks on the quality of a question, each a sentence.
pub(crate) fn remarks(question: &Question) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    if asks_two_things(&question.question) {
        remarks.push("it asks two things at once; one question each can be answered apart");
    }
    if question.kind == QuestionKind::Text {
        remarks.push("it offers no options; working out the approaches first makes a better question");
    }
    remarks
}

fn asks_two_things(text: &str) -> bool {
    let marks = text.chars().filter(|letter| matches!(letter, '?' | '？' | '؟')).count();
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let joined = words.windows(2).any(|pair| pair[0] == "and" && QUESTION_WORDS.contains(&pair[1].as_str()));
    marks > 1 || joined
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::question::ask_user;

    fn of(text: &str, options: &[&str]) -> Vec<&'static str> {
        let options: Vec<_> = options.iter().map(|name| json!({ "value": name, "label": name })).collect();
        remarks(&ask_user::read(&json!({ "question": text, "options": options })).unwrap()[0])
    }

    #[test]
    fn c_03_two_questions_in_one_are_remarked_on() {
        let two = ["it asks two things at once; one question each can be answered apart"];
        for text in [
            "Which store? Which port?",
            "哪个数据库？哪个端口？",
            "Which store should it use, and which port?",
            "What is it called AND\n where should it live?",
        ] {
            assert_eq!(of(text, &["a", "b"]), two, "{text}");
        }
        for text in
            ["Which checks should run before commit and push?", "Search and replace?", "Go on", "Android or iOS?"]
        {
            assert_eq!(of(text, &["a", "b"]), [""; 0], "{text}");
        }
    }

    #[test]
    fn c_10_a_question_without_options_is_remarked_on() {
        let open = ["it offers no options; working out the approaches first makes a better question"];
        assert_eq!(of("What should divide do with zero?", &[]), open);
        assert_eq!(of("Which name? Which place?", &[]).len(), 2);
    }
}
