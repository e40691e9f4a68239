# Finds fault with the signatures of mail, by Mail::DKIM. Prints a line for each
# fault: the file's name, a tab, the fault.
#
#     perl dkim.pl NAME VALUE FILE...    NAME has the TXT record VALUE
use strict;
use warnings;
use File::Basename;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;
use Net::DNS;

my ($name, $value, @files) = @ARGV;

{
	no warnings 'redefine';
	*Mail::DKIM::DNS::query = sub {
		my ($asked, $type) = @_;
		return unless $asked eq $name && $type eq 'TXT';
		return Net::DNS::RR->new(name => $name, type => 'TXT', txtdata => [unpack '(a250)*', $value]);
	};
}

for my $file (@files) {
	open my $in, '<:raw', $file or die "$file: $!\n";
	my $verifier = Mail::DKIM::Verifier->new;
	$verifier->load($in);
	my @signatures = $verifier->signatures;
	my $verdict = @signatures == 1 ? $verifier->result_detail : scalar(@signatures) . ' signatures';
	print basename($file), "\t$verdict\n" if $verdict ne 'pass';
}
