import { demoPages } from "./demoPages.ts"

demoPages(
  [
    "tutorials/look-back.md",
    "guides/why-it-failed.md",
    "guides/what-changed.md",
    "guides/when-it-became-true.md",
    "guides/search-a-log.md",
    "guides/compare-two-tasks.md",
    "guides/step-through.md",
    "guides/fork-a-task.md",
    "guides/ask-a-log-from-a-program.md",
  ],
  { tasks: 23 },
)
