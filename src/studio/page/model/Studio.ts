/**
 * The page's model: one position in one log, and the data loaded around it. Screens read its signals; keys and clicks
 * call its methods.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { isAtWork, isBad } from "../../../projections/summary/Activity.ts"
import type { Question } from "../../wire/Asking.ts"
import type { LogInfo } from "../../wire/Log.ts"
import { isFiltering } from "../../wire/Rows.ts"
import type { RewardRow, TaskHead } from "../../wire/Task.ts"
import { messageOf, type Source } from "../source/Source.ts"
import { Drafts } from "../writing/Drafts.ts"
import { type Address, type Course, OVERVIEW, type TaskView, VIEWS, type Visit, visit, withScores } from "./Address.ts"
import { Annotated } from "./annotations/Annotated.ts"
import { CourseHistory, type CourseMoment } from "./CourseHistory.ts"
import { Talk } from "./conversation/Talk.ts"
import type { Links } from "./Links.ts"
import type { Listed } from "./listed/EventRows.ts"
import { ListedRows } from "./listed/ListedRows.ts"
import { Marked } from "./Marked.ts"
import { byPosition, type Moment, momentsOf } from "./rewards.ts"

/**
 * Delay between a step and the change of the address, in milliseconds: browsers limit how often the address may change.
 */
const ADDRESS_LAG = 300

/** Number of open tasks among which the page looks for one at work. */
const NEWEST = 20

export interface Notice {
  readonly text: string
  readonly bad: boolean
}

export class Studio {
  readonly address: Signal<Address>
  readonly history: Signal<CourseHistory | null> = signal(null)
  readonly position: Signal<number> = signal(0)
  /** Increases with each move of the position, also to where it is. */
  readonly moves: Signal<number> = signal(0)
  /** Whether the position follows the last event. */
  readonly following: Signal<boolean> = signal(false)
  readonly questions: Signal<ReadonlyArray<Question>> = signal([])
  /** Whether the page draws everything, to print it. */
  readonly printing: Signal<boolean> = signal(false)
  readonly notice: Signal<Notice | null> = signal(null)
  readonly rewards: Signal<ReadonlyArray<RewardRow>> = signal([])
  /** When rewards were earned and lost, in order. */
  readonly moments: ReadonlySignal<ReadonlyArray<Moment>> = computed(() => momentsOf(this.rewards.value))
  readonly momentsAt: ReadonlySignal<ReadonlyMap<number, ReadonlyArray<Moment>>> = computed(() =>
    byPosition(this.moments.value),
  )
  readonly head: Signal<number>
  readonly indexed: Signal<number>
  readonly log: Signal<LogInfo>
  readonly marked: Marked
  readonly annotated: Annotated
  readonly drafts: Drafts = new Drafts()
  readonly frame: ReadonlySignal<CourseMoment | null>
  /** The conversation of the visited task; null for a whole timeline. */
  readonly talk: ReadonlySignal<Talk | null> = computed(() => {
    const course = this.history.value
    const marks = course?.marks.value ?? null
    return course === null || marks === null ? null : new Talk(course, marks)
  })
  /** How the page shows the visited task. */
  readonly view: ReadonlySignal<TaskView> = computed(() => {
    const { visit, talk } = this
    if (visit === null || talk.value === null) return "debugger"
    return visit.view ?? (talk.value.isOfModel ? "conversation" : "debugger")
  })
  /** The ways in which the page can show the visited task. A shared file holds no workspace, and one agent is no group. */
  readonly views: ReadonlySignal<ReadonlyArray<TaskView>> = computed(() => {
    const head = this.history.value?.head.value
    const hasFiles = this.source.follow !== null && head?.hasFiles === true
    const isShown = { files: hasFiles, agents: head?.isOfSeveral === true, tree: (head?.below ?? 0) > 0 }
    return VIEWS.filter((view) => view === "conversation" || view === "debugger" || isShown[view])
  })
  readonly #rows = new ListedRows()
  /** The rows of the list of events; null for all events of a timeline by their positions. */
  readonly listed: ReadonlySignal<Listed | null> = computed(() => {
    const { visit } = this
    const course = this.history.value
    return visit === null || course === null ? null : this.#rows.of(course, visit)
  })
  /** The name of the scoring whose scores all screens show; empty for the score that counts for each task. */
  readonly scores: Signal<string> = signal("")
  /** Increases when tasks may have changed. */
  readonly tasksVersion: Signal<number> = signal(0)
  /** Increases when all loaded data was dropped, so that screens start over. */
  readonly epoch: Signal<number> = signal(0)
  /** The courses that receive live events, including one that is still opening. */
  readonly followed: Set<CourseHistory> = new Set()
  /** The last requested address. Answers for earlier addresses are dropped. */
  #wanted: Address | null = null
  #lag: ReturnType<typeof setTimeout> | undefined
  #seeking = new AbortController()
  #rewardsAsked = 0

  readonly source: Source
  readonly links: Links

  constructor(source: Source, links: Links, log: LogInfo) {
    this.source = source
    this.links = links
    this.log = signal(log)
    this.head = signal(log.head)
    this.indexed = signal(log.indexed)
    this.marked = new Marked(source)
    this.annotated = new Annotated(source)
    this.address = signal(links.read())
    this.frame = computed(() => this.history.value?.frameAt(this.position.value) ?? null)
  }

  get visit(): Visit | null {
    const address = this.address.value
    return address.screen === "visit" ? address : null
  }

  /** Follows the address, now and when the reader goes back and forward. */
  start(): void {
    addEventListener("popstate", () => void this.#arrive(this.links.read()))
    void this.#arrive(this.address.value)
  }

  /**
   * Goes to an address, with a new entry in the browser's history unless `replace` is set. An address without scores
   * shows the chosen ones.
   */
  go(address: Address, replace = false): void {
    this.#to(withScores(address, this.scores.value), replace)
  }

  /** The link to an address, with the chosen scores. */
  href(address: Address): string {
    return this.links.href(withScores(address, this.scores.value))
  }

  look(change: Partial<Omit<Visit, "screen" | "timeline" | "task" | "at">>, replace = false): void {
    const visit = this.visit
    if (visit !== null)
      this.#to({ ...visit, ...change, at: this.following.value ? null : this.position.value }, replace)
  }

  /** Shows the scores of a scoring from now on: a pointer, a label or an id; empty for those that count. */
  chooseScores(scores: string): void {
    const address = this.address.value
    if (address.screen === "tasks") this.#to({ ...address, scores }, true)
    else if (address.screen === "visit") this.look({ scores }, true)
    else this.scores.value = scores
  }

  #to(address: Address, replace: boolean): void {
    clearTimeout(this.#lag)
    this.links.write(address, replace)
    void this.#arrive(address)
  }

  /** Moves the playhead. The address follows after a delay. */
  moveTo(position: number): void {
    const { visit } = this
    if (visit === null || this.history.value === null) return
    batch(() => {
      this.following.value = false
      this.position.value = position
      this.moves.value += 1
    })
    void this.history.value.load(position)
    this.#sayPosition(visit)
  }

  /** Moves by events, backward if negative. */
  step(by: number): void {
    const { value: course } = this.history
    if (course === null) return
    if (this.view.value === "conversation") {
      this.#stepItem(by)
      return
    }
    const listed = this.listed.value
    const isFiltered = this.visit !== null && isFiltering(this.visit) && listed !== null
    const near = isFiltered ? listed.next(this.position.value, by) : course.step(this.position.value, by)
    const next = isFiltered && near === null ? this.position.value : near
    const end =
      by > 0
        ? `This is the last ${isFiltered ? "such " : ""}event.`
        : `This is the first ${isFiltered ? "such " : ""}event.`
    if (next === undefined) void this.#stepRows(by, end)
    else if (next === null) void this.#stepFar(by, end)
    else if (next === this.position.value) this.say(end)
    else this.moveTo(next)
  }

  #stepItem(by: number): void {
    const next = this.talk.value?.step(this.position.value, by) ?? null
    if (next === null) this.say(by > 0 ? "This is the last item." : "This is the first item.")
    else this.moveTo(next)
  }

  /** Steps to a row that has to be loaded. */
  async #stepRows(by: number, end: string): Promise<void> {
    const rows = this.history.value?.rows.value ?? null
    const from = this.position.value
    const next = (await rows?.step(from, by)) ?? null
    if (this.position.value !== from || this.history.value?.rows.value !== rows) return
    if (next === null) this.say(end)
    else this.moveTo(next)
  }

  /** Steps across chunks that may have to be loaded, up to the end of the course. */
  async #stepFar(by: number, end: string): Promise<void> {
    let left = Math.abs(by)
    let reached: number | undefined
    const isThere = ({ position }: CourseMoment): boolean => {
      reached = position
      left -= 1
      return left === 0
    }
    const missing = () => (reached === undefined ? this.say(end) : this.moveTo(reached))
    await this.seek(by > 0 ? 1 : -1, isThere, missing)
  }

  /**
   * Goes to the next event in a direction that satisfies a condition.
   *
   * @param missing called if there is none
   */
  async seek(by: 1 | -1, holds: (frame: CourseMoment) => boolean, missing: () => void): Promise<void> {
    const { value: course } = this.history
    if (course === null) return
    this.#seeking.abort()
    this.#seeking = new AbortController()
    const { signal } = this.#seeking
    const found = await course.seek(this.position.value, by, holds, signal)
    if (signal.aborted || this.history.value !== course) return
    if (found === null) missing()
    else this.moveTo(found)
  }

  /** Goes to the next of these ordered positions. */
  hop(positions: ReadonlyArray<number>, by: 1 | -1, missing: string): void {
    const { value: now } = this.position
    const next =
      by > 0 ? positions.find((position) => position > now) : positions.findLast((position) => position < now)
    if (next === undefined) this.say(missing)
    else this.moveTo(next)
  }

  follow(): void {
    const { visit: now, history: course } = this
    if (now === null || course.value === null) return
    const head = course.value.head.value
    // Nobody works on the task, so just go to its end.
    if (head !== null && !isAtWork(head)) {
      this.moveTo(course.value.last)
      return
    }
    this.following.value = true
    this.position.value = course.value.last
    void course.value.load(this.position.value)
    this.go({ ...now, at: null }, true)
  }

  say(text: string, bad = false): void {
    this.notice.value = { text, bad }
  }

  fail(cause: unknown): void {
    if (cause instanceof DOMException && cause.name === "AbortError") return
    this.say(messageOf(cause), true)
  }

  /** The first address to show: the newest task at work, else the list of tasks. */
  async first(): Promise<Address> {
    const { rows } = await this.source.ask("tasks", {
      timeline: "main",
      open: "true",
      order: "newest",
      limit: NEWEST,
    })
    const live = rows.find(({ activity }) => activity === "running" || activity === "waiting" || activity === "paused")
    return live === undefined ? OVERVIEW : visit({ timeline: live.timeline, task: live.id }, null)
  }

  /** The score set of the shown rewards: that of the task's score, or an unfinished one whose id was chosen. */
  scoreSetOf(head: TaskHead | null): string {
    const { scores } = this.visit ?? {}
    return head?.score?.set ?? head?.sets.find(({ set }) => set === scores)?.set ?? ""
  }

  #sayPosition(visit: Visit): void {
    clearTimeout(this.#lag)
    this.#lag = setTimeout(() => {
      const address = { ...visit, ...this.visit, at: this.following.value ? null : this.position.value }
      this.links.write(address, true)
      this.address.value = address
    }, ADDRESS_LAG)
  }

  async #arrive(address: Address): Promise<void> {
    clearTimeout(this.#lag)
    this.notice.value = null
    this.#wanted = address
    try {
      const to = address.screen === "start" ? await this.first() : address
      if (this.#wanted !== address) return
      if (to !== address) this.links.write(to, true)
      if (to.screen === "tasks" || to.screen === "visit") this.scores.value = to.scores
      if (to.screen !== "visit") {
        batch(() => {
          this.address.value = to
          this.#show(null)
        })
        return
      }
      await this.#visit(to, () => this.#wanted === address)
    } catch (cause) {
      if (this.#wanted !== address) return
      this.address.value = address
      this.fail(cause)
    }
  }

  #show(course: CourseHistory | null): void {
    const { value: known } = this.history
    if (known !== null && known !== course) this.followed.delete(known)
    this.history.value = course
  }

  async #visit(to: Visit, isWanted: () => boolean): Promise<void> {
    const known = this.history.value
    const isSame = known !== null && sameCourse(known.course, to)
    const course = isSame ? known : await this.#opened(to, isWanted)
    if (!isWanted()) return
    if (isSame && course.scores !== to.scores) {
      course.scores = to.scores
      await course.refresh()
      if (!isWanted()) return
    }
    const head = course.head.value
    const isOpen = head === null || isAtWork(head)
    const position = to.at ?? (isOpen ? course.last : (head.worst ?? course.last))
    const shown = asksWhy(to, head) ? { ...to, pane: "why" as const } : to
    if (shown !== to) this.links.write(shown, true)
    batch(() => {
      this.address.value = shown
      if (!isSame) this.rewards.value = []
      this.#show(course)
      this.position.value = Math.max(position, course.first)
      this.following.value = to.at === null && isOpen
    })
    await Promise.all([course.load(this.position.value), this.#loadRewards(to, head), this.annotated.look(to.timeline)])
    if (!isWanted()) return
    this.marked.look(to)
    if (to.at !== null && (to.at > course.last || to.at < course.first))
      this.say(`@${to.at} is not in ${to.task ?? to.timeline}, which has @${course.first} to @${course.last}.`, true)
  }

  /** Opens a course, which receives live events from the start of the request on. */
  async #opened({ timeline, task, scores }: Visit, isWanted: () => boolean): Promise<CourseHistory> {
    const course = new CourseHistory(this.source, { timeline, task }, this.head)
    course.scores = scores
    this.followed.add(course)
    try {
      await course.open()
    } catch (cause) {
      this.followed.delete(course)
      throw cause
    }
    if (!isWanted()) this.followed.delete(course)
    return course
  }

  /** Drops all loaded data and reloads the screen: a subject was shredded, and any of the data may be theirs. */
  async forget(): Promise<void> {
    const { visit } = this
    batch(() => {
      this.epoch.value += 1
      this.notice.value = null
      this.rewards.value = []
      this.questions.value = []
      this.annotated.forget()
      this.#show(null)
    })
    const at = this.following.value ? null : this.position.value
    await this.#arrive(visit === null ? this.address.value : { ...visit, at })
    await this.loadQuestions()
  }

  /** Loads the pending questions, unless newer ones have arrived live. */
  async loadQuestions(): Promise<void> {
    const { value: known } = this.questions
    const waiting = await this.source.ask("questions")
    if (this.questions.value === known) this.questions.value = waiting
  }

  async #loadRewards({ timeline, task }: Visit, head: TaskHead | null): Promise<void> {
    const set = this.scoreSetOf(head)
    const question = ++this.#rewardsAsked
    const rewards = task === null || set === "" ? [] : await this.source.ask("rewards", { timeline, task, set })
    // A later request is for another task, or newer.
    if (question === this.#rewardsAsked) this.rewards.value = rewards
  }

  /** Reloads the task's outcome and rewards. */
  async refresh(): Promise<void> {
    const { value: course } = this.history
    if (course === null) return
    await course.refresh()
    const to = this.visit
    if (to !== null && this.history.value === course) await this.#loadRewards(to, course.head.value)
  }
}

/** Whether a link leads to a failed task as a whole: then the page says first why it failed. */
const asksWhy = ({ at, pane, vs, task }: Visit, head: TaskHead | null): boolean =>
  at === null && pane === "event" && vs === "" && task !== null && head !== null && head.outcome !== null && isBad(head)

export const sameCourse = (a: Course, b: Course): boolean => a.timeline === b.timeline && a.task === b.task
