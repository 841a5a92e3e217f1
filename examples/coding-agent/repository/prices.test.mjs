import { price } from "./prices.mjs"

/** What each test expects, and what it finds. */
const tests = [
  ["one piece costs its price", 100, price(100, 1)],
  ["ten pieces cost a tenth less", 900, price(100, 10)],
  ["twenty pieces cost a tenth less", 1800, price(100, 20)],
]

for (const [name, expected, found] of tests) {
  if (expected === found) console.log(`ok      ${name}`)
  else {
    console.log(`not ok  ${name}: expected ${expected}, found ${found}`)
    process.exitCode = 1
  }
}
