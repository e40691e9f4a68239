-- The schema of SQLite after all migrations. Its test writes it: see Schema in migrations.go.
CREATE TABLE account_quotas (
    digest_id INTEGER NOT NULL PRIMARY KEY,
    day       INTEGER NOT NULL,
    bytes     INTEGER NOT NULL
) STRICT;
CREATE TABLE address_changes (
    user_id    INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
    email      TEXT    NOT NULL,
    old_hash   BLOB    NOT NULL UNIQUE,        -- of the token mailed to the present address
    new_hash   BLOB    NOT NULL UNIQUE,        -- of the one mailed to the wished one
    old_confirmed    INTEGER NOT NULL DEFAULT 0,
    new_confirmed    INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL                -- in the past: done or taken back
) STRICT;
CREATE VIRTUAL TABLE bare_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none);
CREATE VIRTUAL TABLE bare_words_places USING fts5vocab (bare_words, instance);
CREATE TABLE bodies (
    feed_id      INTEGER NOT NULL PRIMARY KEY,
    content_type TEXT    NOT NULL DEFAULT '',
    url          TEXT    NOT NULL DEFAULT '', -- where it was found, for relative links
    body         BLOB    NOT NULL             -- zstd
) STRICT;
CREATE TABLE bounces (
    edition_id INTEGER NOT NULL,
    kind       TEXT    NOT NULL,             -- hard, soft or complaint
    email_key  TEXT    NOT NULL,
    status     TEXT    NOT NULL DEFAULT '',  -- RFC 3463
    evidence   TEXT    NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    PRIMARY KEY (edition_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE "carried_posts" (
    edition_id INTEGER NOT NULL,
    from_id    INTEGER NOT NULL,
    PRIMARY KEY (edition_id, from_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE "confirmation_requests" (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    address_hash  BLOB    NOT NULL,
    email         TEXT    NOT NULL,            -- '' once it is forgotten
    domain        TEXT    NOT NULL,            -- the lane of the address; '' likewise
    time_zone     TEXT    NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'waiting',
    queued_at     INTEGER NOT NULL,
    next_at       INTEGER NOT NULL,            -- while it waits: not before; a worker that has it puts it off
    tries         INTEGER NOT NULL DEFAULT 0,
    requested_at      INTEGER NOT NULL DEFAULT 0, mailbox TEXT NOT NULL DEFAULT '',
    UNIQUE (newsletter_id, address_hash)
) STRICT;
CREATE TABLE "counters" (
    hour     INTEGER NOT NULL, -- the instant at which it begins
    kind     TEXT    NOT NULL, -- poll changed, mail sent, edition, post and so on
    slot     INTEGER NOT NULL, -- workers that count at the same time do not wait for each other
    n        INTEGER NOT NULL,
    requests INTEGER NOT NULL DEFAULT 0, -- of polls
    bytes    INTEGER NOT NULL DEFAULT 0, -- of polls
    PRIMARY KEY (hour, kind, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE digest_posts (
    digest_id  INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    post_id    INTEGER NOT NULL,
    PRIMARY KEY (digest_id, visible_at, post_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE digests (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        INTEGER NOT NULL REFERENCES users (id),
    newsletter_id  INTEGER,             -- NULL: the user's own daily digest
    name           TEXT    NOT NULL,
    next_due_at    INTEGER NOT NULL,
    planned_due_at INTEGER NOT NULL DEFAULT 0, -- the next_due_at its feeds have been queued for
    planned_at     INTEGER NOT NULL DEFAULT 0, -- when they were: the release deadline counts from here
    last_due_at    INTEGER NOT NULL DEFAULT 0, -- posts up to this midnight are visible
    released_at    INTEGER NOT NULL DEFAULT 0, -- when last_due_at was set
    deliver_at     INTEGER NOT NULL DEFAULT 0, -- seconds
    cadence       INTEGER NOT NULL DEFAULT 127,
    state          TEXT    NOT NULL DEFAULT 'active',
    edition_count  INTEGER NOT NULL DEFAULT 0
, prev_due_at INTEGER NOT NULL DEFAULT 0, prev_released_at INTEGER NOT NULL DEFAULT 0, layout TEXT NOT NULL DEFAULT 'excerpts', images TEXT NOT NULL DEFAULT 'off', threaded INTEGER NOT NULL DEFAULT 0, paused_until INTEGER NOT NULL DEFAULT 0, mailed INTEGER NOT NULL DEFAULT 1, filtered INTEGER NOT NULL DEFAULT 0, paused_at INTEGER NOT NULL DEFAULT 0, paused_to INTEGER NOT NULL DEFAULT 0, next_poll_at INTEGER NOT NULL DEFAULT 0, bound_from INTEGER NOT NULL DEFAULT 0, bound_to INTEGER NOT NULL DEFAULT 0, link_round INTEGER NOT NULL DEFAULT 0, folder_order TEXT NOT NULL DEFAULT '', grouping TEXT NOT NULL DEFAULT 'folders', web_layout TEXT NOT NULL DEFAULT '', web_grouping TEXT NOT NULL DEFAULT '', web_images TEXT NOT NULL DEFAULT 'proxy', was_paused INTEGER NOT NULL DEFAULT 0, was_paused_until INTEGER NOT NULL DEFAULT 0, date_subject INTEGER NOT NULL DEFAULT 0, read_here INTEGER NOT NULL DEFAULT 0, budget INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE dkim_keys (
    domain      TEXT    NOT NULL,
    selector    TEXT    NOT NULL,
    private_key BLOB    NOT NULL,            -- PKCS #8
    active      INTEGER NOT NULL DEFAULT 0,  -- 1: it signs; one a domain
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (domain, selector)
) STRICT, WITHOUT ROWID;
CREATE TABLE dmarc_days (
    day          TEXT NOT NULL,
    reporter     TEXT NOT NULL,
    source       TEXT NOT NULL,
    from_domain  TEXT NOT NULL,
    spf_domain   TEXT NOT NULL,
    spf          TEXT NOT NULL,
    spf_aligned  INTEGER NOT NULL,
    dkim_domain  TEXT NOT NULL,
    dkim         TEXT NOT NULL,
    dkim_aligned INTEGER NOT NULL,
    disposition  TEXT NOT NULL,
    messages     INTEGER NOT NULL,
    PRIMARY KEY (day, reporter, source, from_domain, spf_domain, spf, spf_aligned, dkim_domain, dkim, dkim_aligned, disposition)
) STRICT, WITHOUT ROWID;
CREATE TABLE dmarc_reports (
    report TEXT NOT NULL PRIMARY KEY,
    day    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE domains (
    domain       TEXT    NOT NULL PRIMARY KEY,
    limited_at   INTEGER NOT NULL DEFAULT 0, -- when a feed of it last was
    pace         INTEGER NOT NULL DEFAULT 0, -- seconds between two polls
    free_at      INTEGER NOT NULL DEFAULT 0  -- when it may be asked next
, limits INTEGER NOT NULL DEFAULT 0, since  INTEGER NOT NULL DEFAULT 0, good   INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE editions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    digest_id    INTEGER NOT NULL,
    local_date   TEXT    NOT NULL, -- YYYY-MM-DD
    due_at       INTEGER NOT NULL, -- its posts are (digest_id, visible_at = due_at)
    send_at      INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    state        TEXT    NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    message_id   TEXT    NOT NULL DEFAULT '',
    date         INTEGER NOT NULL,
    next_at      INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    sent_at      INTEGER NOT NULL DEFAULT 0,
    reply        TEXT    NOT NULL DEFAULT '',
    error        TEXT    NOT NULL DEFAULT '',
    was_in_doubt INTEGER NOT NULL DEFAULT 0, prev_due_at INTEGER NOT NULL DEFAULT 0, prev_released_at INTEGER NOT NULL DEFAULT 0, domain TEXT NOT NULL DEFAULT '', recipient TEXT NOT NULL DEFAULT '', bound_from INTEGER NOT NULL DEFAULT 0, bound_to INTEGER NOT NULL DEFAULT 0, resent INTEGER NOT NULL DEFAULT 0, undelivered INTEGER NOT NULL DEFAULT 0, lead_post_id INTEGER NOT NULL DEFAULT 0,
    UNIQUE (digest_id, local_date),
    UNIQUE (digest_id, due_at)
) STRICT;
CREATE TABLE feed_news (
    feed_id      INTEGER NOT NULL PRIMARY KEY,
    pushes       INTEGER NOT NULL DEFAULT 0,
    all_pushes   INTEGER NOT NULL DEFAULT 0,
    last_push_at INTEGER NOT NULL DEFAULT 0,
    pings        INTEGER NOT NULL DEFAULT 0,
    last_ping_at INTEGER NOT NULL DEFAULT 0,
    missed_at    INTEGER NOT NULL DEFAULT 0,
    trusted_at   INTEGER NOT NULL DEFAULT 0,
    saved_polls  INTEGER NOT NULL DEFAULT 0,
    pushed_since INTEGER NOT NULL DEFAULT 0,
    demotes      INTEGER NOT NULL DEFAULT 0 -- 1: its hubs have missed a post, and their other feeds are still to lose their trust
, pinged_since INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE feed_times (
    feed_id         INTEGER NOT NULL PRIMARY KEY,
    poll_at         INTEGER,                          -- the queue; NULL: not in it
    askable_at      INTEGER NOT NULL DEFAULT 0,       -- from when it may be asked (I5), as package poller says; 0: at once
    lease_until     INTEGER NOT NULL DEFAULT 0,
    lease_token     TEXT    NOT NULL DEFAULT '',
    last_attempt_at INTEGER NOT NULL DEFAULT 0,
    last_ok_at      INTEGER NOT NULL DEFAULT 0,
    not_before      INTEGER NOT NULL DEFAULT 0,
    fresh_until     INTEGER NOT NULL DEFAULT 0,
    unchanged       TEXT    NOT NULL DEFAULT ''         -- polls that found nothing new and are not in polls yet: store/polls_packed.go
, subscribers INTEGER NOT NULL DEFAULT 0, counted_at  INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE feeds (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    url               TEXT    NOT NULL UNIQUE,
    host              TEXT    NOT NULL,
    kind              TEXT    NOT NULL DEFAULT '',
    title             TEXT    NOT NULL DEFAULT '',
    site_url          TEXT    NOT NULL DEFAULT '',
    language          TEXT    NOT NULL DEFAULT '',
    etag              TEXT    NOT NULL DEFAULT '',
    last_modified     TEXT    NOT NULL DEFAULT '',
    validator_url     TEXT    NOT NULL DEFAULT '',
    body_hash         TEXT    NOT NULL DEFAULT '',
    parsed_at         INTEGER NOT NULL DEFAULT 0,
    listed_at         INTEGER NOT NULL DEFAULT 0, -- when the listed_at of its posts was last brought up to date
    errors            INTEGER NOT NULL DEFAULT 0,
    first_error_at    INTEGER NOT NULL DEFAULT 0,
    last_status       INTEGER NOT NULL DEFAULT 0,
    last_error        TEXT    NOT NULL DEFAULT '',
    state             TEXT    NOT NULL DEFAULT 'active',
    head_state        TEXT    NOT NULL DEFAULT '',
    conditional_state TEXT    NOT NULL DEFAULT '',
    head_retest_at    INTEGER NOT NULL DEFAULT 0,
    moved_to          TEXT    NOT NULL DEFAULT '',
    moved_since       INTEGER NOT NULL DEFAULT 0,
    merged_into       INTEGER NOT NULL DEFAULT 0  -- the feed that this one has become part of
, domain TEXT NOT NULL DEFAULT '', doc_interval INTEGER NOT NULL DEFAULT 0, skip_hours INTEGER NOT NULL DEFAULT 0, skip_days INTEGER NOT NULL DEFAULT 0, newest_at INTEGER NOT NULL DEFAULT 0, own_interval INTEGER NOT NULL DEFAULT 0, host_interval INTEGER NOT NULL DEFAULT 0, busy_interval INTEGER NOT NULL DEFAULT 0, repeats INTEGER NOT NULL DEFAULT 0, by_date INTEGER NOT NULL DEFAULT 0, gone_at INTEGER NOT NULL DEFAULT 0, pinged_at INTEGER NOT NULL DEFAULT 0, validators_doubted INTEGER NOT NULL DEFAULT 0, failing_since INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0, moved_from TEXT NOT NULL DEFAULT '', moved_at INTEGER NOT NULL DEFAULT 0, parser INTEGER NOT NULL DEFAULT 0, public_only INTEGER NOT NULL DEFAULT 0, move_undone INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0, reliability TEXT NOT NULL DEFAULT '', quota_day INTEGER NOT NULL DEFAULT 0, quota_bytes INTEGER NOT NULL DEFAULT 0, posts_waiting INTEGER NOT NULL DEFAULT 0, sealed TEXT NOT NULL DEFAULT '', me TEXT NOT NULL DEFAULT '', topic TEXT NOT NULL DEFAULT '', hubs TEXT NOT NULL DEFAULT '', pushed_until INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE "filtered_posts" (
    digest_id INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    post_id   INTEGER NOT NULL,
    words     TEXT    NOT NULL, kind TEXT NOT NULL DEFAULT '', -- of the filter
    PRIMARY KEY (digest_id, due_at, post_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE filters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    digest_id  INTEGER NOT NULL REFERENCES digests (id),
    feed_id    INTEGER NOT NULL DEFAULT 0, -- 0: all feeds
    words      TEXT    NOT NULL,
    created_at INTEGER NOT NULL
, kind TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE former_addresses (
    url     TEXT    NOT NULL PRIMARY KEY,
    feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE
, since INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE former_subscriptions (
    digest_id INTEGER NOT NULL,
    feed_id   INTEGER NOT NULL, settings TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (digest_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (8, 1), (9, 1), (10, 1), (11, 1), (12, 1), (13, 1), (14, 1), (15, 1), (16, 1), (17, 1), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (24, 1), (25, 1), (26, 1), (27, 1), (28, 1), (29, 1), (30, 1), (31, 1), (32, 1), (33, 1), (34, 1), (35, 1), (36, 1), (37, 1), (38, 1), (39, 1), (40, 1), (41, 1), (42, 1), (43, 1), (44, 1), (45, 1), (46, 1), (47, 1), (48, 1), (49, 1), (50, 1), (51, 1), (52, 1), (53, 1), (54, 1), (55, 1), (56, 1), (57, 1), (58, 1), (59, 1), (60, 1), (61, 1), (62, 1), (63, 1), (64, 1), (65, 1), (66, 1), (67, 1), (69, 1), (70, 1), (72, 1), (73, 1), (74, 1), (75, 1), (76, 1), (82, 1), (86, 1), (87, 1), (88, 1), (89, 1), (90, 1), (91, 1), (92, 1), (93, 1), (94, 1), (95, 1), (96, 1), (99, 1), (100, 1), (101, 1);
CREATE TABLE "host_rules" (
    host       TEXT    NOT NULL,
    by_owner   INTEGER NOT NULL DEFAULT 0, -- 1: the owner of the host has asked for it
    blocked    INTEGER NOT NULL DEFAULT 0, -- 1: nothing is asked there
    interval      INTEGER NOT NULL,           -- seconds between two polls of one feed, at least; 0 of a block
    created_at INTEGER NOT NULL,
    PRIMARY KEY (host, by_owner)
) STRICT;
CREATE TABLE hosts (
    host        TEXT    NOT NULL PRIMARY KEY,
    lease_until INTEGER NOT NULL DEFAULT 0,
    token       TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_hosts (
    domain      TEXT    NOT NULL PRIMARY KEY,
    confirmed   INTEGER NOT NULL DEFAULT 0,
    unconfirmed INTEGER NOT NULL DEFAULT 0,
    failed      INTEGER NOT NULL DEFAULT 0,
    quiet_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE imports (
	digest_id   INTEGER PRIMARY KEY,
	imported_at INTEGER NOT NULL,
	report      TEXT NOT NULL, -- what became of it, as JSON (web/feeds_import_report.go)
	first_polls TEXT NOT NULL  -- the keys of its feeds that had never been read, separated by commas
);
CREATE TABLE index_queue (
    post_id INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL DEFAULT 0      -- by whom is nobody's business
) STRICT;
CREATE TABLE join_requests (
    token_hash    BLOB NOT NULL PRIMARY KEY,
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    email_key     TEXT NOT NULL,
    email         TEXT NOT NULL,
    time_zone     TEXT NOT NULL,
    form          TEXT NOT NULL,
    return_url    TEXT NOT NULL DEFAULT '',
    latest        INTEGER NOT NULL DEFAULT 0,  -- 1: they want the latest letter at once
    requested_at      INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE lanes (
    name        TEXT    NOT NULL PRIMARY KEY,
    connections INTEGER NOT NULL DEFAULT 0, -- the operator's limit; 0: the setting's
    messages    INTEGER NOT NULL DEFAULT 0, -- the operator's rate: so many; 0: the setting's
    per         INTEGER NOT NULL DEFAULT 0, -- in so many seconds
    width       INTEGER NOT NULL DEFAULT 0, -- messages at once while it recovers; 0: it is well
    pause       INTEGER NOT NULL DEFAULT 0, -- seconds: the latest
    until_at    INTEGER NOT NULL DEFAULT 0, -- nothing is sent before
    failures    INTEGER NOT NULL DEFAULT 0, -- in a row
    alarm       INTEGER NOT NULL DEFAULT 0, -- 1: the operator has to put something right
    reason      TEXT    NOT NULL DEFAULT '',
    changed_at  INTEGER NOT NULL DEFAULT 0,
    free_us     INTEGER NOT NULL DEFAULT 0  -- the rate is used up to here, in microseconds
) STRICT, WITHOUT ROWID;
CREATE TABLE "letter_requests" (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT    NOT NULL,             -- sign-up, sign-in or address
    email_key TEXT    NOT NULL,
    domain    TEXT    NOT NULL,
    requested_at  INTEGER NOT NULL,
    sent_at   INTEGER NOT NULL DEFAULT 0
, asker TEXT NOT NULL DEFAULT '', answered INTEGER NOT NULL DEFAULT 0, mailbox TEXT NOT NULL DEFAULT '', share TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE link_changes (
    id         INTEGER PRIMARY KEY,
    digest_id  INTEGER NOT NULL,
    feed_id    INTEGER NOT NULL,              -- of the subscription; 0: the digest itself
    setting    TEXT NOT NULL,                -- what was changed
    old_value        TEXT NOT NULL,                -- its value before
    new_value     TEXT NOT NULL,                -- its value after
    title      TEXT NOT NULL,                -- of the digest or the feed
    host       TEXT NOT NULL DEFAULT '',     -- of the feed
    new_host   TEXT NOT NULL DEFAULT '',     -- of the feed that took its place
    email_date TEXT NOT NULL DEFAULT '',     -- of the edition whose email had the link; '': not known
    changed_at    INTEGER NOT NULL,
    notify_by    TEXT NOT NULL,                -- edition, email or nobody
    email_at   INTEGER NOT NULL DEFAULT 0,    -- when an email may tell the reader; 0: none does
    notified_at    INTEGER NOT NULL DEFAULT 0,    -- when it did; 0: not yet
    undone_at  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE mail_claims (
    edition_id  INTEGER NOT NULL PRIMARY KEY,
    domain      TEXT NOT NULL DEFAULT '', -- the edition's lane
    lease_token TEXT    NOT NULL,
    lease_until INTEGER NOT NULL,
    state       TEXT    NOT NULL DEFAULT 'leased', -- leased, dotting, or sent: accepted, which the edition does not say yet
    at          INTEGER NOT NULL DEFAULT 0,      -- when it came to dotting, or sent
    message_id  TEXT    NOT NULL DEFAULT '',       -- of the dot
    date        INTEGER NOT NULL DEFAULT 0,
    recipient   TEXT    NOT NULL DEFAULT '',
    reply       TEXT    NOT NULL DEFAULT '',       -- of the server that took it
    error       TEXT    NOT NULL DEFAULT ''
, lead_post_id INTEGER NOT NULL DEFAULT 0);
CREATE TABLE membership_events (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    email_key     TEXT NOT NULL,
    at            INTEGER NOT NULL,
    kind          TEXT NOT NULL,             -- joined, left, back, imported
    detail        TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE memberships (
    digest_id     INTEGER NOT NULL PRIMARY KEY,
    newsletter_id INTEGER NOT NULL,
    user_id       INTEGER NOT NULL,
    own_days      INTEGER NOT NULL DEFAULT 0,  -- 1: the days are the member's own choice
    joined_at     INTEGER NOT NULL,
    left_at       INTEGER NOT NULL DEFAULT 0,
    form          TEXT NOT NULL,             -- by which page, list or person
    address       TEXT NOT NULL DEFAULT '',  -- of the network that confirmed
    asked_at      INTEGER NOT NULL DEFAULT 0,
    confirmed_at  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (newsletter_id, user_id)
) STRICT;
CREATE TABLE newsletter_clicks (
    newsletter_id INTEGER NOT NULL,
    post_id       INTEGER NOT NULL,
    title         TEXT NOT NULL,
    url           TEXT NOT NULL,
    since         TEXT NOT NULL,   -- YYYY-MM-DD
    clicks        INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, post_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_days (
    newsletter_id INTEGER NOT NULL,
    day           TEXT NOT NULL,
    slot          INTEGER NOT NULL,             -- workers mostly count in different ones
    joined        INTEGER NOT NULL DEFAULT 0,
    gone          INTEGER NOT NULL DEFAULT 0,
    sent          INTEGER NOT NULL DEFAULT 0,
    bounced       INTEGER NOT NULL DEFAULT 0,   -- for good
    complained    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (newsletter_id, day, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_domains (
    newsletter_id INTEGER NOT NULL PRIMARY KEY,
    from_address  TEXT NOT NULL,
    selector      TEXT NOT NULL,
    sealed        TEXT NOT NULL,             -- the private key, PKCS #8, encrypted: internal/seal
    created_at    INTEGER NOT NULL,
    signs         INTEGER NOT NULL DEFAULT 0,  -- 1: its record is seen
    finding       TEXT NOT NULL DEFAULT '',
    checked_at    INTEGER NOT NULL DEFAULT 0,
    seen_at       INTEGER NOT NULL DEFAULT 0,
    next_at       INTEGER NOT NULL DEFAULT 0   -- when its record is looked for again
) STRICT;
CREATE TABLE newsletter_letters (
    newsletter_id INTEGER NOT NULL,
    local_date    TEXT NOT NULL,
    subject       TEXT NOT NULL DEFAULT '',
    note          TEXT NOT NULL DEFAULT '',
    skipped       INTEGER NOT NULL DEFAULT 0,
    approved_at   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (newsletter_id, local_date)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_logos (
    newsletter_id INTEGER NOT NULL,
    file          TEXT NOT NULL,
    picture       BLOB NOT NULL,
    added_at      INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, file)
) STRICT;
CREATE TABLE newsletter_notices (
    newsletter_id INTEGER NOT NULL,
    feed_id       INTEGER NOT NULL,
    kind          TEXT NOT NULL,   -- of a notice
    title         TEXT NOT NULL,
    url           TEXT NOT NULL,
    moved_to      TEXT NOT NULL DEFAULT '',
    illness       TEXT NOT NULL DEFAULT '',
    from_at       INTEGER NOT NULL DEFAULT 0,
    notified_at       INTEGER NOT NULL DEFAULT 0, -- 0: not yet
    PRIMARY KEY (newsletter_id, feed_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE "newsletter_pulled_posts" (
    newsletter_id INTEGER NOT NULL,
    post_id       INTEGER NOT NULL,
    pulled_at     INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, post_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_roles (
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    role          TEXT NOT NULL,             -- owner or editor
    created_at    INTEGER NOT NULL, offered_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (newsletter_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_suppressions (
    newsletter_id INTEGER NOT NULL,
    email_key     TEXT NOT NULL,
    email         TEXT NOT NULL,
    reason        TEXT NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, email_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE newsletter_tokens (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL,
    token_hash    BLOB NOT NULL UNIQUE,
    read_only     INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    used_on       TEXT NOT NULL DEFAULT ''      -- the last day, in UTC
) STRICT;
CREATE TABLE newsletters (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    slug           TEXT NOT NULL UNIQUE,
    name           TEXT NOT NULL,
    description    TEXT NOT NULL DEFAULT '',
    site_url       TEXT NOT NULL DEFAULT '',
    address_line   TEXT NOT NULL DEFAULT '',
    from_name      TEXT NOT NULL DEFAULT '',
    reply_to       TEXT NOT NULL DEFAULT '',
    layout         TEXT NOT NULL DEFAULT 'full',
    images         TEXT NOT NULL DEFAULT 'proxy',
    threaded       INTEGER NOT NULL DEFAULT 0,
    cadence       INTEGER NOT NULL DEFAULT 127,
    deliver_at     INTEGER NOT NULL DEFAULT 0,  -- seconds
    approve_within INTEGER NOT NULL DEFAULT 0,  -- seconds that a letter waits for approval; 0: none does
    return_urls    TEXT NOT NULL DEFAULT '',
    state          TEXT NOT NULL DEFAULT 'pending',
    held_reason    TEXT NOT NULL DEFAULT '',
    held_at        INTEGER NOT NULL DEFAULT 0,
    archive_id     INTEGER NOT NULL DEFAULT 0,  -- the digest whose editions are the archive
    created_at     INTEGER NOT NULL
, counted_from TEXT NOT NULL DEFAULT '', header_text TEXT NOT NULL DEFAULT '', footer_text TEXT NOT NULL DEFAULT '', paper TEXT NOT NULL DEFAULT '', ink TEXT NOT NULL DEFAULT '', accent TEXT NOT NULL DEFAULT '', count_clicks INTEGER NOT NULL DEFAULT 0, logo_file TEXT NOT NULL DEFAULT '', logo_width INTEGER NOT NULL DEFAULT 0, logo_height INTEGER NOT NULL DEFAULT 0, logo_clear INTEGER NOT NULL DEFAULT 0, member_limit INTEGER NOT NULL DEFAULT 0, wanted_name TEXT NOT NULL DEFAULT '', wanted_from_name TEXT NOT NULL DEFAULT '', subject_pattern TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE notices (
    digest_id  INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    feed_id    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,           -- gone, dead or gap
    title      TEXT    NOT NULL DEFAULT '', -- of the feed, when it was told
    url        TEXT    NOT NULL DEFAULT '',
    from_at    INTEGER NOT NULL DEFAULT 0,
    to_at      INTEGER NOT NULL DEFAULT 0, moved_to TEXT NOT NULL DEFAULT '', illness TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (digest_id, visible_at, feed_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE "operator_links" (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "passkey_challenges" (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL DEFAULT 0,     -- who adds a passkey; 0: somebody signs in with one
    data       TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE passkeys (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id       INTEGER NOT NULL REFERENCES users (id),
    credential_id BLOB    NOT NULL UNIQUE,
    credential    TEXT    NOT NULL,            -- its public key and flags, as JSON
    sign_count    INTEGER NOT NULL DEFAULT 0,
    name          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    used_at       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE "pictures" (
	address    INTEGER PRIMARY KEY,
	width      INTEGER NOT NULL,
	height     INTEGER NOT NULL,
	learned_at INTEGER NOT NULL
, url TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, next_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE polls (
    feed_id  INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    outcome  TEXT    NOT NULL,
    status   INTEGER NOT NULL DEFAULT 0, -- of the last answer; 0: none
    requests INTEGER NOT NULL DEFAULT 0,
    bytes    INTEGER NOT NULL DEFAULT 0, -- of bodies, as they travelled
    millis   INTEGER NOT NULL DEFAULT 0,
    note     TEXT    NOT NULL DEFAULT '', unchanged TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (feed_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE post_links (
    post_id  INTEGER NOT NULL,
    link_key INTEGER NOT NULL,
    site_key INTEGER NOT NULL,
    own      INTEGER NOT NULL,              -- 1: to the post's own site
    PRIMARY KEY (post_id, link_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE post_versions (
    post_id INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    title   TEXT    NOT NULL,
    content TEXT    NOT NULL,
    PRIMARY KEY (post_id, seen_at)
) STRICT;
CREATE VIRTUAL TABLE post_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TABLE posts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    feed_id      INTEGER NOT NULL REFERENCES feeds (id),
    identity     TEXT    NOT NULL,
    fingerprint  TEXT    NOT NULL, -- the same under a changed identity
    published_at INTEGER NOT NULL DEFAULT 0,
    seen_at      INTEGER NOT NULL,
    listed_at    INTEGER NOT NULL, -- last known in the document; brought up to date every 30 days
    shown_at     INTEGER NOT NULL, -- last put before a reader: when a hidden row was made or moved; 0: never
    frozen       INTEGER NOT NULL DEFAULT 0, -- 1: known to be in a released edition
    content_hash TEXT    NOT NULL DEFAULT '',
    url          TEXT    NOT NULL DEFAULT '',
    title        TEXT    NOT NULL DEFAULT '',
    author       TEXT    NOT NULL DEFAULT '',
    language     TEXT    NOT NULL DEFAULT '',
    image_url    TEXT    NOT NULL DEFAULT '',
    summary      TEXT    NOT NULL DEFAULT '',
    content      TEXT    NOT NULL DEFAULT ''
, read_before INTEGER NOT NULL DEFAULT 0, enclosures TEXT NOT NULL DEFAULT '', read_address TEXT NOT NULL DEFAULT '', extra INTEGER NOT NULL DEFAULT 0, withdrawn_at INTEGER NOT NULL DEFAULT 0, syndication TEXT NOT NULL DEFAULT '', untitled INTEGER NOT NULL DEFAULT 0, leads_to TEXT NOT NULL DEFAULT '', comments TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE push_subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a callback is made of it
    feed_id     INTEGER NOT NULL,
    hub         TEXT    NOT NULL,
    topic       TEXT    NOT NULL,
    secret      TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    requested_at    INTEGER NOT NULL DEFAULT 0,
    verified_at INTEGER NOT NULL DEFAULT 0,
    expires_at  INTEGER NOT NULL DEFAULT 0,
    next_at     INTEGER NOT NULL,
    errors      INTEGER NOT NULL DEFAULT 0,
    last_error  TEXT    NOT NULL DEFAULT ''
, domain TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE pushes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    feed_id      INTEGER NOT NULL,
    received_at  INTEGER NOT NULL,
    content_type TEXT    NOT NULL,
    body         BLOB    NOT NULL,
    lease_until  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE reader_tokens (
    user_id    INTEGER NOT NULL PRIMARY KEY,
    token_hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE refusals (
    url        TEXT    NOT NULL PRIMARY KEY,
    not_before INTEGER NOT NULL,
    reason        TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE robots (
    origin        TEXT    NOT NULL PRIMARY KEY, -- scheme://host:port
    fetched_at    INTEGER NOT NULL,
    etag          TEXT    NOT NULL DEFAULT '',
    last_modified TEXT    NOT NULL DEFAULT '',
    rules         TEXT    NOT NULL DEFAULT ''   -- our group's, a line each; empty: none
) STRICT, WITHOUT ROWID;
CREATE TABLE saved_posts (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    post_id    INTEGER NOT NULL REFERENCES posts (id),
    saved_at   INTEGER NOT NULL,
    digest_id  INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    local_date TEXT    NOT NULL, -- YYYY-MM-DD
    PRIMARY KEY (user_id, post_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    expires_at INTEGER NOT NULL
, created_at INTEGER NOT NULL DEFAULT 0, passkey_id INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE settings (
    key   TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;
CREATE TABLE sign_in_tokens (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sign_ups (
    token_hash    BLOB    NOT NULL PRIMARY KEY,
    email_key     TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    time_zone     TEXT    NOT NULL,
    invitation_id INTEGER NOT NULL DEFAULT 0, -- 0: none was needed
    expires_at    INTEGER NOT NULL
, language TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE TABLE subscriptions (
    digest_id  INTEGER NOT NULL REFERENCES digests (id),
    feed_id    INTEGER NOT NULL REFERENCES feeds (id),
    title      TEXT    NOT NULL DEFAULT '', -- the reader's own; empty: the feed's
    folder     TEXT    NOT NULL DEFAULT '',
    display    TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL, paused INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '', extras INTEGER NOT NULL DEFAULT 0, paused_for INTEGER NOT NULL DEFAULT 0, paused_until INTEGER NOT NULL DEFAULT 0, leads INTEGER NOT NULL DEFAULT 0, most INTEGER NOT NULL DEFAULT 0, waiting_posts TEXT NOT NULL DEFAULT '', roll_up INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (digest_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE suppressions (
    email_key  TEXT    NOT NULL PRIMARY KEY, -- lower case, as users have it
    email      TEXT    NOT NULL,
    reason     TEXT    NOT NULL,             -- hard_bounce, soft_bounces, complaint or manual
    evidence   TEXT    NOT NULL DEFAULT '',  -- what was said, in one line
    edition_id INTEGER NOT NULL DEFAULT 0,   -- of which it was said
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "trips" (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id   INTEGER NOT NULL REFERENCES users (id),
    from_date TEXT    NOT NULL,           -- YYYY-MM-DD, the first day
    to_date   TEXT    NOT NULL,           -- the last
    time_zone TEXT    NOT NULL,
    begun     INTEGER NOT NULL DEFAULT 0  -- 1: the reader is there
) STRICT;
CREATE TABLE users (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    email      TEXT    NOT NULL,        -- as typed
    email_key  TEXT    NOT NULL UNIQUE, -- lower case: one account an address
    time_zone  TEXT    NOT NULL,
    state      TEXT    NOT NULL DEFAULT 'confirmed',
    created_at INTEGER NOT NULL
, mail_domain TEXT NOT NULL DEFAULT '', operator INTEGER NOT NULL DEFAULT 0, direction TEXT NOT NULL DEFAULT 'ltr', shortcuts INTEGER NOT NULL DEFAULT 1, handle BLOB, home_zone TEXT NOT NULL DEFAULT '', travel_at INTEGER NOT NULL DEFAULT 0, player INTEGER NOT NULL DEFAULT 0, member_only INTEGER NOT NULL DEFAULT 0, language TEXT NOT NULL DEFAULT '', theme TEXT NOT NULL DEFAULT 'device', type_size TEXT NOT NULL DEFAULT 'browser') STRICT;
CREATE TABLE waiting_digests (
    digest_id  INTEGER NOT NULL PRIMARY KEY,
    feed_id    INTEGER NOT NULL, -- the last it waits for; 0: to be looked up; -1: none, it can be released
    planned_at INTEGER NOT NULL  -- the release deadline counts from here
) WITHOUT ROWID;
CREATE INDEX bounces_address ON bounces (email_key, at);
CREATE INDEX carried_posts_from ON carried_posts (from_id);
CREATE INDEX confirmation_requests_address ON confirmation_requests (address_hash);
CREATE INDEX confirmation_requests_age ON confirmation_requests (requested_at);
CREATE INDEX confirmation_requests_mailbox ON confirmation_requests (newsletter_id, mailbox) WHERE mailbox <> '';
CREATE INDEX confirmation_requests_newsletter ON confirmation_requests (newsletter_id, requested_at);
CREATE INDEX confirmation_requests_state ON confirmation_requests (newsletter_id, state, next_at);
CREATE INDEX digests_due ON digests (next_due_at) WHERE state = 'active';
CREATE INDEX digests_gathering ON digests (paused_at) WHERE paused_at > 0;
CREATE INDEX digests_newsletter ON digests (newsletter_id) WHERE newsletter_id IS NOT NULL;
CREATE INDEX digests_next_poll ON digests (next_poll_at) WHERE next_poll_at > 0;
CREATE INDEX digests_own ON digests (state, user_id) WHERE newsletter_id IS NULL AND state <> 'active';
CREATE INDEX digests_resume ON digests (paused_until) WHERE state = 'paused' AND paused_until > 0;
CREATE INDEX digests_user ON digests (user_id);
CREATE INDEX dmarc_reports_day ON dmarc_reports (day);
CREATE INDEX editions_given_up ON editions (id) WHERE state IN ('failed', 'sent_unconfirmed');
CREATE INDEX editions_lanes ON editions (next_at, id, domain, expires_at) WHERE state = 'ready';
CREATE INDEX editions_undelivered ON editions (digest_id) WHERE undelivered = 1;
CREATE INDEX feed_news_demotes ON feed_news (feed_id) WHERE demotes = 1;
CREATE INDEX feed_times_queue ON feed_times (poll_at, feed_id) WHERE poll_at IS NOT NULL;
CREATE INDEX feeds_address ON feeds (address) WHERE address <> '';
CREATE INDEX feeds_host ON feeds (host);
CREATE INDEX feeds_hubs ON feeds (id) WHERE hubs <> '';
CREATE INDEX feeds_merged ON feeds (merged_into) WHERE merged_into > 0;
CREATE INDEX feeds_said_gone ON feeds (id) WHERE gone_at > 0;
CREATE INDEX feeds_sealed ON feeds (id) WHERE sealed <> '';
CREATE INDEX feeds_waiting ON feeds (id) WHERE posts_waiting > 0;
CREATE INDEX filtered_posts_due ON filtered_posts (due_at);
CREATE INDEX filters_digest ON filters (digest_id, id);
CREATE INDEX filters_feed ON filters (feed_id) WHERE feed_id > 0;
CREATE INDEX former_addresses_feed ON former_addresses (feed_id);
CREATE INDEX former_subscriptions_feed ON former_subscriptions (feed_id);
CREATE INDEX join_requests_address ON join_requests (email_key);
CREATE INDEX letter_requests_address ON letter_requests (email_key, kind);
CREATE INDEX letter_requests_age ON letter_requests (requested_at);
CREATE INDEX letter_requests_mailbox ON letter_requests (mailbox, requested_at);
CREATE INDEX letter_requests_share ON letter_requests (share, requested_at) WHERE share <> '';
CREATE INDEX link_changes_digest ON link_changes (digest_id);
CREATE INDEX link_changes_notify ON link_changes (email_at) WHERE notify_by = 'email' AND notified_at = 0;
CREATE INDEX membership_events_member ON membership_events (newsletter_id, email_key, id);
CREATE INDEX memberships_user ON memberships (user_id);
CREATE INDEX newsletter_days_trouble ON newsletter_days (day, newsletter_id) WHERE bounced > 0 OR complained > 0;
CREATE INDEX newsletter_domains_next ON newsletter_domains (next_at);
CREATE INDEX newsletter_notices_notify ON newsletter_notices (newsletter_id) WHERE notified_at = 0;
CREATE INDEX newsletter_roles_user ON newsletter_roles (user_id);
CREATE INDEX newsletter_tokens_newsletter ON newsletter_tokens (newsletter_id);
CREATE INDEX newsletter_tokens_user ON newsletter_tokens (user_id);
CREATE INDEX notices_due ON notices (visible_at);
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);
CREATE INDEX passkeys_user ON passkeys (user_id);
CREATE INDEX pictures_next ON pictures (next_at) WHERE next_at > 0;
CREATE INDEX post_links_key ON post_links (link_key, post_id) WHERE own = 0;
CREATE INDEX posts_fingerprint ON posts (feed_id, fingerprint);
CREATE UNIQUE INDEX posts_identity ON posts (feed_id, identity);
CREATE INDEX posts_seen ON posts (feed_id, seen_at, published_at);
CREATE INDEX push_subscriptions_domain ON push_subscriptions (domain);
CREATE INDEX push_subscriptions_feed ON push_subscriptions (feed_id);
CREATE INDEX push_subscriptions_hub ON push_subscriptions (hub, feed_id);
CREATE INDEX push_subscriptions_next ON push_subscriptions (next_at);
CREATE INDEX pushes_feed ON pushes (feed_id);
CREATE INDEX saved_posts_order ON saved_posts (user_id, saved_at, post_id);
CREATE INDEX saved_posts_post ON saved_posts (post_id);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sign_in_tokens_user ON sign_in_tokens (user_id);
CREATE INDEX sign_ups_address ON sign_ups (email_key);
CREATE INDEX subscriptions_feed ON subscriptions (feed_id, paused, digest_id);
CREATE INDEX subscriptions_paused_for ON subscriptions (paused_for) WHERE paused_for > 0;
CREATE INDEX subscriptions_paused_until ON subscriptions (paused_until) WHERE paused_until > 0;
CREATE INDEX subscriptions_roll_up ON subscriptions (digest_id, feed_id) WHERE roll_up > 0;
CREATE INDEX suppressions_order ON suppressions (created_at DESC, email_key);
CREATE INDEX trips_user ON trips (user_id, from_date);
CREATE UNIQUE INDEX users_handle ON users (handle);
CREATE INDEX users_travel ON users (travel_at) WHERE travel_at > 0;
CREATE INDEX waiting_digests_feed ON waiting_digests (feed_id);
CREATE INDEX waiting_digests_planned ON waiting_digests (planned_at);
