"""The words of a made-up year: projects and people, and how things of each sort are put, in two wordings."""

from __future__ import annotations

from collections.abc import Mapping

PROJECTS = tuple(
    "Orchard Quillmark Lantern ferry Harbour kiln Tidepool Meadow granite Sparrow Cobalt Juniper "
    "Beacon Thistle marigold Saddle Compass ember Drift Falcon gable Hazel Inkwell pebble".split()
)
PARTS = tuple(
    "importer, scheduler, gateway, dashboard, exporter, parser, cache, queue, mailer, indexer, archive, sidebar, editor, "
    "installer, search box, login page, billing module, report builder, test suite, backup script, deploy pipeline, "
    "settings page, message broker, image resizer, audit log, rate limiter, feature switch, data loader, invoice printer, "
    "map view, session store, style sheet, worker pool, release bot, crash reporter, upload form, translation file, "
    "calendar sync".split(", ")
)
PEOPLE = tuple(
    "Ilse Noor Dov Sara Tom Maja Anselm Birte Ragna Oswin Fenna Pelle Quentin Yusra Wim Tilda Bruno Ines Kolya "
    "Marta Radu Selma Teo Vera".split()
)
TOOLS = "pytest ruff docker rsync postgres redis nginx systemd sqlite curl".split()
ROOMS = "wiki tracker notebook channel drawer".split()

Wordings = tuple[str, ...]


def _ways(*phrases: str) -> tuple[Wordings, ...]:
    """Phrases, each in one wording or, set apart by a bar, in two."""
    return tuple(tuple(phrase.split(" | ")) for phrase in phrases)


# How things of each sort are put, in two wordings or more. What a contradiction changes is {n}.
FRAMES: Mapping[str, tuple[Wordings, ...]] = {
    "fact": (("The {part} of {project} {does} {when}.", "{when}, the {project} {part} {does}."),),
    "decision": (
        (
            "We decided to {choose} in the {part} of {project} because {why}.",
            "Because {why}, we agreed to {choose} in the {project} {part}.",
        ),
    ),
    "preference": (
        (
            "{person} prefers {liked} when it comes to the {project} {part}.",
            "When it comes to the {part} of {project}, {person} likes {liked}.",
        ),
    ),
    "procedure": (("How to {goal} the {part} of {project}:\n\n{steps}", "To {goal} the {project} {part}:\n\n{steps}"),),
    "episode": (
        (
            "{person} {did} the {part} of {project} on {date}, {tail}.",
            "On {date}, {person} {did} the {project} {part}, {tail}.",
        ),
    ),
    "reminder": (
        (
            "Reminder: {task} for the {project} {part} before {due}.",
            "Before {due}, remember to {task} for the {part} of {project}.",
        ),
        (
            "TODO: {task} for the {project} {part}, due on {due}.",
            "Don't forget to {task} for the {part} of {project}; it is due on {due}.",
        ),
    ),
    "recurring": (
        (
            "The {part} of {project} {broke} again while {person} {busy}.",
            "While {person} {busy}, the {project} {part} {broke} again.",
        ),
        (
            "{person} {stuck} in the {project} {part} again, as {tool} {failed}.",
            "As {tool} {failed}, {person} {stuck} in the {part} of {project} again.",
        ),
    ),
}
PHRASES: Mapping[str, tuple[Wordings, ...]] = {
    "does": _ways(
        "retries a failed job {n} times | gives a failed job {n} retries",
        "listens on port {n}000 | can be reached at port {n}000",
        "drops its entries after {n} hours | forgets entries older than {n} hours",
        "needs {n} GB of memory to start | takes {n} GB of memory at the start",
        "runs for about {n} minutes every night | needs about {n} minutes in each nightly run",
        "refuses files above {n} MB | accepts files of up to {n} MB",
        "holds {n} connections open | keeps {n} open connections",
        "answers within {n} milliseconds | gives an answer in {n} milliseconds",
        "writes a checkpoint every {n} seconds | saves a checkpoint each {n} seconds",
        "shows {n} rows to a page | puts {n} rows on one page",
        "sends at most {n} letters an hour | posts no more than {n} letters per hour",
        "rotates its keys every {n} days | changes its keys each {n} days",
        "splits long texts at {n} characters | cuts long texts after {n} characters",
        "warns {person} when the disk is {n} percent full | tells {person} once {n} percent of the disk is used",
        "supports {n} languages | speaks {n} languages",
        "uses {tool} with {n} workers | is run by {tool} with {n} workers",
        "rounds prices to {n} cents | brings prices to a multiple of {n} cents",
        "locks an account after {n} wrong passwords | closes an account once {n} passwords were wrong",
        "imports the ledger in {n} batches | takes the ledger in by {n} batches",
        "draws the coast with {n} layers | has {n} layers for drawing the coast",
    ),
    "when": _ways(
        "since the outage in spring",
        "in the staging environment",
        "for customers in the north",
        "while {tool2} is upgraded",
        "as long as nobody is signed in",
        "during the night shift",
        "on the old hardware",
        "behind the office firewall",
        "after a cold start",
        "for guests without an account",
        "in the trial edition",
        "when the mobile client asks",
        "under the new contract",
        "outside of business hours",
        "on machines with one disk",
        "for orders from abroad",
        "in the classroom version",
        "until the tax rules change",
    ),
    "choose": _ways(
        "keep logs for {n} days",
        "require {n} approvals",
        "allow {n} retries before paging anyone",
        "store dates as {n} digits",
        "limit previews to {n} lines",
        "release after {n} quiet hours",
        "test with {n} browsers",
        "sample one request in {n}",
        "freeze features for {n} weeks",
        "charge for more than {n} seats",
        "drop drafts older than {n} days",
        "shrink pictures to {n} percent",
        "pay for {n} hours of support",
        "stay on {tool} for {n} months",
        "move {n} tables to {tool}",
        "give newcomers {n} days of training",
    ),
    "why": _ways(
        "{other} has seen {tool2} fail under load",
        "the auditors asked for it",
        "customers kept complaining",
        "the bill had doubled",
        "nobody understood the old rule",
        "the tests had become slow",
        "two teams were blocked by each other",
        "the vendor ends its support",
        "the law leaves no choice",
        "recovery had failed in the drill",
        "the screens in the warehouse are small",
        "the archive was nearly full",
        "people mistyped it all the time",
        "a holiday is coming up",
        "the competition does it too",
        "{other} will be away for a while",
    ),
    "liked": _ways(
        "summaries of at most {n} lines",
        "to be asked {n} minutes ahead",
        "tables with {n} columns",
        "examples before explanations, {n} of them",
        "diagrams over text, with up to {n} boxes",
        "meetings of {n} minutes",
        "names of no more than {n} letters",
        "commits that touch {n} files at most",
        "a dark theme with {n} point letters",
        "plain words and {n} bullet points",
    ),
    "goal": _ways(
        "restart",
        "clear out",
        "release",
        "roll back",
        "debug",
        "migrate",
        "secure",
        "benchmark",
        "document",
        "translate",
        "reset",
        "hand over",
    ),
    "did": _ways(
        "fixed a crash in | repaired a crash in",
        "rewrote half of",
        "showed a customer",
        "measured",
        "found a leak in",
        "cleaned up",
        "broke the build of",
        "reviewed",
        "drew a plan for",
        "moved to {tool}",
        "trained two newcomers on",
        "took over",
        "renamed",
        "paired with {other} on",
        "wrote the manual of",
        "turned off",
        "sped up",
        "argued about",
        "shipped a new version of",
    ),
    "tail": _ways(
        "which took {n} hours",
        "after {n} reports from customers",
        "with {n} questions left open",
        "and {n} tests were added",
        "on the train, {n} stations long",
        "{n} minutes before the demo",
        "although {n} people were on leave",
        "which saved {n} percent",
        "and {n} tickets were closed",
        "at the desk of {other}, over {n} cups of tea",
        "the third attempt in {n} weeks",
        "with {n} commits",
        "as the budget of {n} hours allowed",
    ),
    "task": _ways(
        "send {person} {n} figures",
        "renew the licence of {tool} with {n} seats",
        "book a room with {n} chairs",
        "order {n} labels",
        "ask {person} about the {n} open invoices",
        "print {n} copies of the handout",
        "call the vendor about the {n} discount codes",
        "write {n} lines for the newsletter",
        "invite {n} testers",
        "back up {n} databases",
        "water the {n} plants at the stand",
        "sort the {n} pictures",
    ),
    "broke": _ways(
        "ran out of memory",
        "lost its settings",
        "hung at the last step",
        "printed half a page",
        "drew everything twice",
        "forgot the time zone",
    ),
    "busy": _ways(
        "was working with {tool}",
        "prepared the demo",
        "was on the phone with a customer",
        "imported the price list",
        "closed the books",
    ),
    "stuck": _ways(
        "was locked out", "had to start over", "saw an empty screen", "got somebody else's data", "waited in vain"
    ),
    "failed": _ways(
        "had lost the session", "kept an old certificate", "ignored the proxy", "had been upgraded overnight"
    ),
}
