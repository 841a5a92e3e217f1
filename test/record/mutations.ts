/** What a program may do otherwise than was recorded. */

/** The requests that the recorded program makes, one after the other. The first two are before the moment of a fork. */
export const RECORDED: ReadonlyArray<string> = ["one", "two", "three", "four"]

/** The requests of programs that do otherwise in the first two, by what they do. */
export const MUTATIONS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "skips the first request": ["two", "three", "four"],
  "skips the second request": ["one", "three", "four"],
  "ends before the second request": ["one"],
  "repeats a request": ["one", "one", "two", "three", "four"],
  "changes the order of requests": ["two", "one", "three", "four"],
  "asks something else": ["one", "other", "three", "four"],
  "asks something more": ["one", "more", "two", "three", "four"],
  "asks nothing": [],
}
