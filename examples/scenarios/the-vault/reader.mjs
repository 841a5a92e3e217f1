/** Reads the note, goes to the other agent's room, and says what the note says. */

const next = ({ people }, { tells }, did) => {
  if (!did("read note")) return "read note"
  if (did("say")) return ""
  return people.split("\n").includes(tells) ? "say The key is in the clock." : "go south"
}

export default {
  name: "reader",
  version: "1.0.0",
  decide: ({ readings, config, history }) => {
    const did = (words) => history.some(({ choice }) => choice.args.action.startsWith(words))
    const action = next(readings["text-rooms/observation"], config.settings, did)
    return { act: "text-rooms/step", args: { action } }
  },
}
