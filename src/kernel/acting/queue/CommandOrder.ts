/** The order in which a task's commands start: among equal priorities, the order in which they were requested. */

/** A command's place in the order of its task. */
export interface Place {
  /** Only commands of the same task keep an order; tasks do not wait for each other. */
  readonly task: string
  /** Sequence number of its request; a later one is greater. */
  readonly arrived: number
  /** The lane that it is bound for; undefined until its actuator is known. */
  lane: string | undefined
  priority: number
  /**
   * - `coming`: on its way to the queue: what has to be recorded first is being recorded
   * - `waiting`: in the queue
   * - `starting`: it has its turn, and its dispatch is being recorded
   * - `gone`: nothing waits for it, because it was dispatched, has ended, or a person is asked about it
   */
  state: "coming" | "waiting" | "starting" | "gone"
}

/** The places of all tasks. */
export interface CommandOrder {
  /** Takes a place behind all others of the task. Call it when the command is requested. */
  readonly arrive: (task: string) => Place
  readonly move: (place: Place, state: Place["state"]) => void
  /**
   * Whether a command may start now, as far as its task's order goes: no other one of its lane is starting, and none
   * that came before it, of the same or a higher priority, is on its way. The queue orders those that wait.
   */
  readonly mayStart: (place: Place) => boolean
  /** Whether a command precedes all others of its task in its lane that have not started. */
  readonly isFirst: (place: Place) => boolean
  /** Whether those that precede it are starting already. */
  readonly isNext: (place: Place) => boolean
}

export const make = (): CommandOrder => {
  /** The places that are not gone, by task, in the order of arrival. */
  const byTask = new Map<string, Set<Place>>()
  let arrivals = 0

  const others = (place: Place): ReadonlyArray<Place> => {
    const found: Array<Place> = []
    for (const other of byTask.get(place.task) ?? []) {
      const meet = other.lane === undefined || place.lane === undefined || other.lane === place.lane
      if (other !== place && meet) found.push(other)
    }
    return found
  }

  return {
    arrive: (task) => {
      const place: Place = { task, arrived: ++arrivals, lane: undefined, priority: 0, state: "coming" }
      const places = byTask.get(task) ?? new Set()
      byTask.set(task, places.add(place))
      return place
    },
    move: (place, state) => {
      place.state = state
      const places = byTask.get(place.task) ?? new Set()
      if (state === "gone") {
        places.delete(place)
        if (places.size === 0) byTask.delete(place.task)
      } else {
        byTask.set(place.task, places.add(place))
      }
    },
    mayStart: (place) =>
      others(place).every(({ state, ...other }) =>
        state === "starting" ? false : state !== "coming" || !precedes(other, place),
      ),
    isFirst: (place) => others(place).every((other) => !precedes(other, place)),
    isNext: (place) => others(place).every((other) => other.state === "starting" || !precedes(other, place)),
  }
}

/** A command whose actuator is not known yet could be of any priority. */
const precedes = (one: Pick<Place, "arrived" | "lane" | "priority">, other: Place): boolean =>
  one.arrived < other.arrived && (one.lane === undefined || one.priority >= other.priority)
