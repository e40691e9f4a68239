// Package hourly is the main job: it finds the digests whose readers have just
// had their midnight, polls those digests' feeds, stores what is new hidden,
// seals the editions, and hands them to the mailer.
//
// The steps of the hour, and where each lives:
//
//	1 due digests, 2 due feeds   plan.go     Plan queues feeds by poller.MidnightPoll
//	3 poll                       poll.go     claimed feeds, polled side by side
//	4 store                      store.go    what a poll found, many polls to a commit
//	5 release                    release.go  editions for digests whose feeds are in
//	6 deliver                    deliver.go  mailer.Deliverer sends what is sealed
//
// Tick and Run (run.go) do all of it: once, or for as long as the program lives.
// News that comes unasked is in hubs.go (what hubs are asked for) and pushes.go (what they
// send): its posts wait for the same midnights.
//
// What is done beside it is in housekeeping.go and fence.go, and the line that sums up an
// hour in account.go. Any
// number of processes may run it beside one PostgreSQL: what they share is
// claimed in the database, and none of them is special.
package hourly
