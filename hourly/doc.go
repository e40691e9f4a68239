// Package hourly is the main job. After the midnight of a reader it polls the feeds of their digest, stores
// new posts as hidden, creates the edition, and passes it to the mailer.
//
// The steps of the hour and their files:
//
//	1 due digests, 2 due feeds   plan.go     Plan queues feeds by poller.MidnightPoll
//	3 poll                       poll.go     polls claimed feeds in parallel
//	4 store                      store.go    stores the results, many polls per commit
//	5 release                    release.go  creates editions of digests whose feeds are polled
//	6 deliver                    deliver.go  mailer.Deliverer sends due emails
//
// Tick and Run (run.go) do all steps: Tick once, Run until its context ends.
//
// hubs.go subscribes to feeds at hubs, and pushes.go stores the posts that hubs send. These posts wait for
// the same midnights. Background work is in housekeeping.go and fence.go. account.go logs the summary of an
// hour.
//
// Any number of processes may run the job on one PostgreSQL database. They claim shared work in the
// database, and all of them are equal.
package hourly
