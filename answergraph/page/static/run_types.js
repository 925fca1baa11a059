// What the views read: the shape of `store.run`. There is nothing here to run.

/** How a run stands, by the server's word.
 *
 * opening   the server is being asked how it stands
 * unread    the server could not be asked, or did not say
 * none      nothing has run here, or a checkpoint is open
 * sending   the request is on its way
 * queued    the server has taken the run and has not begun it
 * running   it works
 * stopping  Stop was pressed; the server has not said yet that the run has stopped
 * waiting   it waits for a person: see `interrupts`
 * deferred  it waits for calls that are carried out elsewhere: see `outcome.pending`
 * ended     it came to its end: see `outcome`, which graphs without an answer do not have
 * failed    it raised: see `error`
 * stopped   somebody stopped it
 * unknown   the server has no such run any more; `heardAt` is when it was last heard of
 * resumed   it waited for a person, and a later run of the thread went on
 * @typedef {"opening"|"unread"|"none"|"sending"|"queued"|"running"|"stopping"|"waiting"|"deferred"|"ended"|"failed"|"stopped"|"resumed"|"unknown"} Status
 */

/** What the page hears of the server, which is another thing than the run's status.
 *
 * idle  nothing is listened to · open  a stream is read; its last byte came at `heardAt`, its last event at `newsAt` · quiet  nothing was heard
 * since `since`, and the server is being asked · lost  no answer since `since`; `tries` so far, the next one at `retryAt`
 * unsure  the server has not said whether it took the run that was sent
 * back  the stream is read again, and `missed` steps came meanwhile; `open` again five seconds later
 * restarted  the same, and the server had to take the run up again
 * @typedef {{state: "idle"|"open"|"quiet"|"unsure"|"lost"|"back"|"restarted", tries?: number, since?: number, retryAt?: number, missed?: number}} Connection
 */

/** One visit of a node. Times are milliseconds since 1970, or null where nobody knows them.
 * @typedef {object} Step
 * @property {string} id of its own, as long as the thread stays open
 * @property {number|null} number of the superstep in its own graph; visits at once share it
 * @property {string} node
 * @property {string} space of the graph the node is in: "" for the outermost, else "case:1f…|explore:a0…"
 * @property {string} inside the same without ids: "case:explore"
 * @property {string|null} childSpace the `space` of the steps of the subgraph that this node is, if it is one
 * @property {"running"|"done"|"failed"|"waits"|"stopped"} state
 * @property {number|null} began
 * @property {number|null} ended
 * @property {object|null} wrote the update of the state, as the node wrote it
 * @property {string[]} messageIds of the messages in it
 * @property {string[]} next the nodes that came next, "__end__" for the end; empty while it is not known
 * @property {string|null} error
 * @property {{id: string, value: any}[]} interrupts
 * @property {boolean} [isAgain] a further run of a graph within the node, which is no visit of its own
 * @property {string|null} checkpoint before this step: a run from there goes on with this step
 * @property {boolean} isUntold whether the server told only that there was a step
 * @property {boolean} hasInside whether it has steps inside it that `loadInside` has not brought yet
 */

/** @typedef {object} Run
 * @property {string|null} thread
 * @property {string|null} id of the run; null if none is known
 * @property {string|null} assistant
 * @property {string|null} checkpoint the one that is open, if it is not the newest
 * @property {Status} status
 * @property {Connection} connection
 * @property {number|null} createdAt when the server took the run
 * @property {number|null} begunAt when it began
 * @property {number|null} endedAt
 * @property {Step[]} steps in the order they began, those of subgraphs among them
 * @property {object[]} messages as `conversation.js` makes them, in order
 * @property {object} values the thread's state
 * @property {{space: string, agent: string, key: string, attempt: number, status: string, value: any}[]} growing answers on their way
 * @property {object|null} outcome the newest of the graph's own `outcome`
 * @property {{id: string, value: any}[]} interrupts
 * @property {{error?: string, message: string}|null} error
 * @property {{request: object, message: string}|null} unsent what could not be sent, and why; the view keeps what was typed
 * @property {object[]} runs of the thread, as the server reports them, newest first
 * @property {string|null} leftAt the checkpoint that the run left, if another run came after it
 * @property {"loading"|"left"|"failed"|null} olderSteps what `loadOlderSteps` has to bring: the steps are read from checkpoints, newest first, and
 *   get their numbers and ids when all are there
 * @property {boolean} isReadingSteps whether the run is over and its steps are still read, or compared with what is stored: they may change
 */

export {};
