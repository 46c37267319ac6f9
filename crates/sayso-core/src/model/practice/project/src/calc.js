// Plain arithmetic on two numbers.
export function add(a, b) {
  return a + b;
}

export function subtract(a, b) {
  return a - b;
}

export function divide(a, b) {
  return a / b;
}
