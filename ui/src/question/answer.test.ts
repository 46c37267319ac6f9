import { expect, test } from "vitest";
import { features, language, request, wording, zeroCase } from "../testing/scenes";
import { allowsOther, choicesOf, fieldsOf, freshField, isAnswered, replyOf, shapeOf } from "./answer";
import { createForm } from "./form";

test("the default is chosen beforehand and counts once it was seen", () => {
  const field = freshField(zeroCase);
  expect(field.selected).toEqual(["throw"]);
  expect(isAnswered(zeroCase, field)).toBe(false);
  expect(isAnswered(zeroCase, { ...field, seen: true })).toBe(true);
  expect(replyOf(zeroCase, field)).toEqual({ act: "default", selected: ["throw"] });
  expect(replyOf(zeroCase, { ...field, touched: true })).toEqual({ act: "chosen", selected: ["throw"] });
});

test("something irreversible has no default, whatever is sent", () => {
  expect(freshField({ ...zeroCase, irreversible: true }).selected).toEqual([]);
});

test("a recommendation is a tag, no choice, and stays in what goes back", () => {
  const [english] = choicesOf(language);
  expect(english).toMatchObject({ label: "English", recommended: true, suggested: false });
  expect(freshField(language).selected).toEqual([]);
  const form = createForm(request([language]));
  form.select("English (Recommended)");
  expect(form.payload().answers).toEqual({ Language: "English (Recommended)" });
});

test("ticks go back in the options' order, words beside them", () => {
  const field = { ...freshField(features), touched: true, selected: ["Safe integers", "Zero divisor"] };
  expect(replyOf(features, field)).toEqual({ act: "chosen", selected: ["Zero divisor", "Safe integers"] });
  expect(replyOf(features, { ...field, other: true, text: "and signs " })).toEqual({
    act: "own_words",
    selected: ["Zero divisor", "Safe integers"],
    text: "and signs ",
  });
});

test("a question without options takes text, and an explicit blank is no answer", () => {
  expect(shapeOf(wording)).toBe("text");
  const field = { ...freshField(wording), touched: true };
  expect(isAnswered(wording, field)).toBe(false);
  expect(replyOf(wording, { ...field, text: "No zero." })).toEqual({ act: "chosen", selected: [], text: "No zero." });
});

test("own words can be closed off by the question and by the settings", () => {
  expect(allowsOther(zeroCase, false)).toBe(true);
  expect(allowsOther(zeroCase, true)).toBe(false);
  expect(allowsOther({ ...zeroCase, allow_other: false }, false)).toBe(false);
  expect(allowsOther(wording, false)).toBe(false);
});

test("a draft comes back as it was left", () => {
  const form = createForm(request([zeroCase, features, wording]));
  form.selectOther();
  form.change({ text: "Return NaN", note: "as before" });
  form.go(1);
  form.select("NaN operands");
  const draft = form.draft();
  expect(Object.keys(draft.replies ?? {})).toEqual(["Zero case", "Checks"]);
  const fields = fieldsOf(request([zeroCase, features, wording], { draft }));
  expect(fields["Zero case"]).toMatchObject({ other: true, text: "Return NaN", note: "as before", selected: [] });
  expect(fields["Checks"]).toMatchObject({ selected: ["NaN operands"], touched: true });
  expect(createForm(request([zeroCase, features, wording], { draft })).state.index).toBe(2);
});
