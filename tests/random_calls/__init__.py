"""A tester that makes random sequences of calls, checks each against brute force, and shrinks what fails."""
