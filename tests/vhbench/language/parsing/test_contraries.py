"""Comparisons, positions, contraries and other objects in statements, read by hand."""

import pytest

from vhbench.language.parsing import yes_no

ROWS = """
Is the woman to the left of the man? | The man is to the left of the woman. | no
Is the woman to the left of the man? | The man is to the right of the woman. | yes
Is the woman to the left of the man? | The woman is to the right of the man. | no
Is the woman to the left of the man? | The woman is to the left of the man. | yes
Is the woman to the left of the man? | The dog is to the left of the woman. |
Is 2010 the year with the lowest rate? | The year with the lowest rate is 2018. | no
Is 2010 the year with the lowest rate? | The year with the lowest rate is 2010. | yes
Is 2010 the year with the lowest rate? | 2010 is the year with the lowest rate. | yes
Is 2010 the year with the lowest rate? | 2018 is the year with the lowest rate. | no
Is 2010 the year with the lowest rate? | The lowest rate is 2018. |
Is France the country with the highest rate? | The country with the highest rate is Spain. | no
Is France the country with the highest rate? | Which country has the highest rate is France. |
Is the line longer than the bar? | The line is shorter than the bar. | no
Is the line longer than the bar? | The bar is shorter than the line. | yes
Is the line longer than the bar? | The bar is longer than the line. | no
Is the line longer than the bar? | The line is not longer than the bar. | no
Is the line longer than the bar? | The line is not shorter than the bar. |
Is the line longer than the bar? | They are the same length. | no
Is the line longer than the bar? | It is longer. | yes
Is the line longer than the bar? | The tree is longer than the bar. |
Are the lines the same length? | They are equal in length. | yes
Are the lines the same length? | They are different. | no
Are the lines the same length? | They are not the same length. | no
Are the lines the same length? | They are the same colour. |
Are the lines different in length? | One line is longer. | yes
Is it more suitable for children than adults? | It is more suitable for adults than children. | no
Is it more suitable for children than adults? | It is more suitable for children than adults. | yes
Is the rate more than 50? | The rate is 60. | yes
Is the rate more than 50? | The rate is 40. | no
Is the rate 50? | The rate is not 50. | no
Is the rate 50? | The rate is not 40. |
Is the dog sitting? | The dog is standing. | no
Is the dog sitting? | The dog is standing and sitting. |
Is the dog black? | White. |
Is the dog black? | It is white. | no
Is the dog black? | The dog is black and white. | no
Is the dog black? | The cat is white. |
Is there a dog on the sofa? | The dog is under the sofa. | no
Is there a dog on the sofa? | A dog sits on the sofa. | yes
Is there a dog on the sofa? | There is a cat on the sofa. |
Is the man a lawyer? | He is a doctor. |
Does the man play the violin? | He plays the guitar. |
Is there a dog? | It is a toy dog. |
Is there a dog? | There is a dog house. |
Is there a dog? | It looks like a dog. | yes
Is there a dog? | There is a dog-like animal. |
Is there a toy dog? | There is a toy dog. | yes
Is the man wearing a hat? | The man in the red coat is wearing a hat. | yes
Is the man wearing a hat? | The man is next to a woman wearing a hat. |
Is the bus yellow? | A yellow bus. | yes
Is there a train? | The train passes. | yes
Is there a train? | It shows the train tracks. |
Is there a train? | A train station. |
Did sales rise in 2010? | Sales rose in 2010. | yes
Is the animal brown? | The dog is brown. | yes
Is the dog brown? | The animal is brown. | yes
Are the lines the same length? | One is longer. |
"""


@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_a_statement_about_the_claimed_objects_answers(row: str) -> None:
    question, response, expected = (cell.strip() for cell in row.split("|"))
    assert yes_no(response, question) == expected
