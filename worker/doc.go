// Package worker does the work of a process. After the midnight of a reader it polls the feeds of their digest, stores
// new posts as hidden, creates the edition, and passes it to the mailer.
//
// Job.Tick does the steps of the hour once, in this order. Job.Run does them in separate loops until its context ends
// (run.go):
//
//	1 due digests, 2 due feeds   plan.go     Plan queues feeds by poller.MidnightPoll
//	3 poll                       poll.go     polls claimed feeds in parallel
//	4 store                      store.go    stores the results, many polls per commit
//	5 release                    release.go  creates editions of digests whose feeds are polled
//	6 deliver                    deliver.go  mailer.Deliverer sends due emails
//
// More loops of Run:
//
//	hubs          hubs.go          subscribes to feeds at hubs
//	pushes        pushes.go        stores posts that hubs send; they wait for the same midnights
//	pictures      pictures.go      requests the first bytes of new posts' pictures, to learn which load
//	heartbeat     fence.go         records that the process works; stops all work while a fence is up
//	housekeeping  housekeeping.go  prunes, indexes posts for search, checks domains of newsletters, and emails imported
//	                               people to confirm
//
// account.go logs the summary of an hour. Any number of processes may work on one PostgreSQL database. They claim shared
// work in the database, and all of them are equal.
package worker
