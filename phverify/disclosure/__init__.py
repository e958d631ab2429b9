"""What an adversary learns from answered queries (Anantharaman, Frittella, Nguyen
2022).
"""
