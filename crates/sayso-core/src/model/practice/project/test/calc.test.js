import assert from "node:assert/strict";
import { test } from "node:test";
import { divide } from "../src/calc.js";

test("divides whole numbers", () => {
  assert.equal(divide(6, 3), 2);
});

test("divides into fractions", () => {
  assert.equal(divide(1, 4), 0.25);
});

test("keeps the sign", () => {
  assert.equal(divide(-9, 3), -3);
});

test("dividing by zero gives anything but Infinity", () => {
  let value = "it threw";
  try { value = divide(1, 0); } catch { /* throwing is an answer too */ }
  assert.notEqual(value, Infinity, "divide(1, 0) is still Infinity");
});
